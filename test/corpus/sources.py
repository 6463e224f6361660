# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds locations in a C++ source: functions by their brackets, names, and files."""

import os
import pathlib
import re

KEYWORDS = {"if", "for", "while", "switch", "catch", "return", "sizeof", "do", "else",
            "defined", "decltype", "alignas", "noexcept", "requires", "constexpr",
            "__attribute__", "__launch_bounds__", "asm", "throw", "static_assert",
            "__restrict__"}
CONTROL = re.compile(r"\s*(if|for|while|switch|catch|else|do|return)\b")
NO_CODE = re.compile(r'//(?:[^\n\\]|\\.)*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"'
                     r"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'", re.S)
NAME = re.compile(r"(?:operator\s*(?:\(\)|[^\w\s(]+)|~?\w+)\s*(?:<[^<>;]*>)?\s*$")
# auto name = [&](...) {
LAMBDA = re.compile(r"(\w+)\s*=\s*\[[^\]]*\]\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?[^()=]*$")


def without_directives(text):
    """The text with comments, strings, and directives blanked; only the first branch of
    #if and #else remains, so that brackets balance."""
    text = NO_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    lines, alternatives = text.split("\n"), []
    for number, line in enumerate(lines):
        directive = re.match(r"\s*#\s*(if|elif|else|endif)", line)
        if directive and directive[1] == "if":
            alternatives.append(False)
        elif directive and alternatives:
            if directive[1] == "endif":
                alternatives.pop()
            else:
                alternatives[-1] = True
        continued = number and lines[number - 1].endswith("\\")
        if re.match(r"\s*#", line) or continued or any(alternatives):
            lines[number] = " " * len(line) + ("\\" if line.endswith("\\") else "")
    return "\n".join(line[:-1] + " " if line.endswith("\\") else line for line in lines)


def called_names(head):
    """Names before a '(' outside brackets, and the number of brackets that remain
    open."""
    depth, names = 0, []
    for at, letter in enumerate(head):
        if letter == "(":
            if depth == 0 and (word := NAME.search(head[:at])):
                names.append(re.sub(r"\s+|<.*", "", word[0]))
            depth += 1
        elif letter == ")":
            depth -= 1
    if re.search(r"\boperator\s*\(\s*\)\s*\(", head):
        names = ["operator()"]
    return [name for name in names if name not in KEYWORDS], depth


def function_of(head, inside):
    """The name of the function whose body follows `head`, or None."""
    head = re.sub(r"<<<.*?>>>", " ", head, flags=re.S)
    if (re.search(r"\b(namespace|enum|extern)\b[^()]*$", head)
            or re.search(r"[=,(]\s*$", head)):
        return None
    names, depth = called_names(head)
    before = head.split("(")[0]
    if bound := LAMBDA.search(head):
        names, depth = [bound[1]], 0
    elif "[" in before and not re.match(r"\s*\[\[", head):
        return None
    elif len(names) == 1 and names[0].isupper() and inside and re.match(r"\s*\w+\s*\(", head):
        return None  # ON_SCOPE(exit) {
    if not names or depth or CONTROL.match(head):
        return None
    if re.search(r"\b(struct|class|union)\b", before) and not re.search(r"\)[\w\s]*$", head):
        return None
    return next((name for name in names if not name.isupper()), names[0])


def functions(text):
    """Returns the name, the first line, and the last line of each function body, by
    brackets alone: sufficient to find the function of a line with any flags. An outer
    body comes before its inner ones."""
    text = without_directives(text)
    found, stack, start, line = [], [], 0, 1
    for match in re.finditer(r"[{};\n]", text):
        if match[0] == "\n":
            line += 1
        elif match[0] == "{":
            head = text[start:match.start()]
            name = function_of(head, any(name for name, _ in stack))
            stack.append((name, line - head.lstrip().count("\n") if name else line))
            start = match.end()
        elif match[0] == "}":
            if stack:
                name, first = stack.pop()
                if name:
                    found.append((name, first, line))
            start = match.end()
        # Not in for(;;).
        elif text.count("(", start, match.start()) <= text.count(")", start, match.start()):
            start = match.end()
    return sorted(found, key=lambda function: (function[1], -function[2]))


def functions_of(path):
    return functions(pathlib.Path(path).read_text(errors="replace"))


def enclosing(found, line):
    """Names of the functions that contain a line, outermost first."""
    return [name for name, first, last in found if first <= line <= last]


def tail(name):
    """The last component of a function's name: run of 'a::B<int>::run(int)'."""
    name = re.sub(r"\(anonymous [^)]*\)::|\(lambda[^)]*\)::operator\(\)", "", name or "")
    if operator := re.search(r"operator\s*(?:\(\)|[^\w\s(]+)", name):
        return re.sub(r"\s", "", operator[0])
    name = re.sub(r"<[^<>]*(?:<[^<>]*>[^<>]*)*>", "", name.split("(")[0].strip())
    return re.split(r"::|\s", name)[-1]


def same_file(path, root, file):
    """Whether `path`, printed by a tool that ran in root, is the file of a case."""
    if not path or os.path.basename(path) != os.path.basename(file):
        return False
    return os.path.realpath(os.path.join(root, path)) == os.path.realpath(os.path.join(root, file))


def named_functions(case):
    """Names of the functions that a case is about."""
    if case["kind"] == "good":
        return [tail(name) for name in case["functions"]]
    plain = re.sub(r"\([^()]+\)", "", case["enclosing_function"])
    return [tail(name) for name in re.split(r"\s*/\s*|\s*,\s*|\s+and\s+|\s\+\s", plain)
            if tail(name)]


def ranges(case, root):
    """Line ranges of a good capture: its functions, or otherwise the whole file."""
    text = (pathlib.Path(root) / case["file"]).read_text(errors="replace")
    bodies, names = functions(text), set(named_functions(case))
    found = [(first, last) for name, first, last in bodies if name in names]
    for name in case["functions"]:
        # 'name (line N)', and bodies of GoogleTest tests.
        if near := re.search(r"line (\d+)", name):
            found.append((max(1, int(near[1]) - 60), int(near[1]) + 60))
        test = r"^\s*TEST(?:_F|_P)?\([^)]*\b%s\b[^)]*\)" % re.escape(tail(name))
        for match in re.finditer(test, text, re.M):
            line = text.count("\n", 0, match.end()) + 1
            around = [body for body in bodies if body[1] <= line <= body[2]]
            found.append(around[-1][1:] if around else (line, line + 120))
    return found or [(1, text.count("\n") + 1)]
