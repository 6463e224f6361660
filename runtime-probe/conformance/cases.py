#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splits the *Cases.cu files: one Case for each C.add() or library().

The catalogue's generator needs the file of each form; the generator of test programs
needs the text of each action.
"""

import glob
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))

# The cases in these files make one call in many situations: they test the
# analysis and add no information about the call.
SITUATIONS = {"Capture", "Chain", "HostEvent", "Invalid", "Join",
              "OtherThread", "Thread", "Topology"}


class Case:
    """One case: its names, and the text of its actions."""

    def __init__(self, subject, call, form, made):
        self.subject, self.call, self.form, self.made = subject, call, form, made
        self.chain = []      # (method, [arguments]) behind the adder
        self.preamble = []   # local declarations that its text may use
        self.function = ""   # the function that adds it
        self.library = False

    def argument(self, method):
        """The only argument of .method(), or None."""
        for name, arguments in self.chain:
            if name == method:
                return arguments[0] if arguments else ""
        return None

    @property
    def situation(self):
        return self.subject in SITUATIONS


def skip_literal(text, i):
    """The index after the string, character, or comment at i, or i."""
    if text.startswith("//", i):
        end = text.find("\n", i)
        return len(text) if end < 0 else end
    if text.startswith("/*", i):
        return text.index("*/", i) + 2
    if text.startswith('R"(', i):
        return text.index(')"', i) + 2
    if text[i] == '"' or (text[i] == "'" and not text[i - 1].isalnum()):
        quote, i = text[i], i + 1
        while text[i] != quote:
            i += 2 if text[i] == "\\" else 1
        return i + 1
    return i


def matching(text, i):
    """The index after the bracket that closes the one at i."""
    depth = 0
    while True:
        after = skip_literal(text, i)
        if after != i:
            i = after
            continue
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1


def split(text, separator):
    """Splits text at separators outside of brackets and literals."""
    parts, start, i = [], 0, 0
    while i < len(text):
        after = skip_literal(text, i)
        if after != i:
            i = after
            continue
        if text[i] in "([{":
            i = matching(text, i)
            # A block ends a statement, unless it belongs to a lambda or an
            # initializer.
            continue
        if text[i] == separator:
            parts.append(text[start:i])
            start = i + 1
        i += 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def strip_comments(text):
    out, i = [], 0
    while i < len(text):
        after = skip_literal(text, i)
        if after != i:
            if not text.startswith(("//", "/*"), i):
                out.append(text[i:after])
            i = after
        else:
            out.append(text[i])
            i += 1
    return "".join(out)


def literal(text):
    """The value of one or more adjacent string literals."""
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
    return "".join(parts).replace('\\"', '"')


def parse_chain(text):
    """'.streams().before(X)' as [('streams', []), ('before', ['X'])]."""
    chain, i = [], 0
    while True:
        match = re.compile(r"\s*\.\s*(\w+)\s*").match(text, i)
        if not match:
            return chain
        i = match.end()
        if i < len(text) and text[i] == "(":
            end = matching(text, i)
            chain.append((match.group(1), split(text[i + 1:end - 1], ",")))
            i = end
        else:  # an assignment to a field
            chain.append((match.group(1), [text[i:].lstrip("= ")]))
            return chain


ADDER = re.compile(r"^(C\.add|library)\s*\(")


def cases_of(path):
    """All cases of one file, in order, and the file's own code."""
    subject = os.path.basename(path)[:-len("Cases.cu")]
    with open(path) as file:
        text = strip_comments(file.read())
    cases, outside, last = [], [], 0
    for match in re.finditer(
            r"(?:static\s+)?void\s+(\w+)\s*\(\s*Cases\s*&\s*C?\s*\)\s*\{", text):
        open_brace = match.end() - 1
        end = matching(text, open_brace)
        outside.append(text[last:match.start()])
        last = end
        preamble = []
        for statement in split(text[open_brace + 1:end - 1], ";"):
            adder = ADDER.match(statement)
            if not adder:
                if not re.match(r"^(add\w+\(C\)|\(void\)C)$", statement):
                    preamble.append(statement)
                continue
            close = matching(statement, adder.end() - 1)
            arguments = split(statement[adder.end():close - 1], ",")
            if adder.group(1) == "library":
                arguments = arguments[1:]
            call, form, made = arguments[0], arguments[1], arguments[2]
            case = Case(subject, literal(call), literal(form), made)
            case.library = adder.group(1) == "library"
            case.chain = parse_chain(statement[close:])
            case.preamble = list(preamble)
            case.function = match.group(1)
            cases.append(case)
    outside.append(text[last:])
    return cases, "".join(outside)


def all_cases():
    result = []
    for path in sorted(glob.glob(os.path.join(HERE, "*Cases.cu"))):
        result += cases_of(path)[0]
    return result


if __name__ == "__main__":
    for case in all_cases():
        print(case.subject, case.call, case.form, sep="\t")
