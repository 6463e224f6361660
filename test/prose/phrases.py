#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: phrases.py [--strings] [--comments] [--phrases FILE] PAGE|FOLDER...

Reports phrases of phrases.txt in the prose of Markdown pages: in paragraphs, list
items, headings, and tables, even across line breaks, but not in code. With
--strings or --comments, the arguments are sources, and the prose is their string
literals, or the comments, banners, and descriptions of tests. The exit status is 1
if there is a phrase, and 2 if there is nothing to read."""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.S)
# Rows that repeat a line of a .def file and change with it.
REPEATED = re.compile(r"^\| `[A-Z]\w+` \| (certain|likely|possible|`\w+`) \|.*$", re.M)
LITERAL = re.compile(r'//[^\n]*|"((?:\\.|[^"\\\n])*)"')
COMMENT = re.compile(r"^(\s*///?<?|\s*#)(?![/=!]| ?(?:RUN|[A-Z][A-Z0-9-]*):)(.*)$")
TRAILING = re.compile(r"\S\s+///?<? (.+)$")
BANNER = re.compile(r"^//===-+ \S+ - (.*?) -+(?:\*- \S+ -\*-)?=*", re.M)
DIRECTIVE = re.compile(r"[A-Z][A-Z0-9_-]*:|>>>|\W*RUN:")
DOCSTRING = re.compile(r'^ *"""(?!\\)(.*?)"""', re.S | re.M)
NAME = re.compile(r"\\p \w+")
# Generated files, and the page that shows examples of bad style.
SKIPPED = re.compile(r"(^|/)(reference/|contributing/style\.md|accuracy/programs/|build/"
                     r"|node_modules/|Output/|seeds/|Inputs/(?!schemas)|measured/|phrases\.test$)")


def read_phrases(path):
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("#") or not line.strip():
                continue
            pattern, arrow, instead = line.rstrip("\n").partition(" => ")
            if not arrow:
                sys.exit(f"{path}:{number}: expected '=>'")
            yield re.compile(pattern.replace(" ", r"\s+"), re.I), instead


def blank(match):
    """Code and links keep their lines but not their words."""
    return re.sub(r"[^\n]", "~", match[0])


def paragraphs(text):
    """Yields the line and the text of each part that is read as one piece."""
    text = REPEATED.sub(blank, text)
    text = CODE.sub(blank, re.sub(r"^( *)(```+)[^\n]*\n.*?^ *\2`*[ ]*$", blank, text, flags=re.S | re.M))
    text = re.sub(r"\]\([^()\s]*\)|<[^<>\s]+>|https?://\S+", blank, text)
    start, lines = 0, []
    for number, line in enumerate(text.split("\n") + [""], 1):
        begins = re.match(r"\s*(?:[-*]|\d+\.) |#|\|", line)
        # Four spaces mean code, but not in a list.
        is_code = line.startswith("    ") and not lines
        if lines and (begins or not line.strip()):
            yield start, "\n".join(lines)
            lines = []
        if line.strip() and not is_code:
            start = start if lines else number
            lines.append(re.sub(r"^\s*(?:[-*]|\d+\.|#+|\|) ?", "", line) if begins else line)


def literals(text):
    for match in LITERAL.finditer(text):
        if match[1] and " " in match[1]:
            yield text.count("\n", 0, match.start()) + 1, match[1]


def comments(text):
    """Consecutive lines of one comment, and docstrings, are one piece; code in quotes is blank."""
    for match in [*BANNER.finditer(text), *DOCSTRING.finditer(text)]:
        yield text.count("\n", 0, match.start(1)) + 1, NAME.sub(blank, CODE.sub(blank, match[1]))
    start, lines, indent = 0, [], None
    for number, line in enumerate(text.split("\n") + [""], 1):
        match = COMMENT.match(line)
        if lines and not (match and match[1] == indent and match[2].strip()):
            yield start, "\n".join(lines)
            lines = []
        if match and match[2].strip():
            start, indent = start if lines else number, match[1]
            lines.append(NAME.sub(blank, CODE.sub(blank, match[2])))
            continue
        match = TRAILING.search(line)
        # After an odd number of quotes, the match is inside a string.
        if match and line.count('"', 0, match.start(1)) % 2 == 0:
            yield number, NAME.sub(blank, CODE.sub(blank, match[1]))


def descriptions(text):
    """The plain lines of a lit test outside its files, and all comments."""
    plain = re.split(r"^(?:#|//)--- ", text, maxsplit=1, flags=re.M)[0]
    yield from paragraphs("\n".join(
        "" if DIRECTIVE.match(line) or line.startswith(("#", "//")) else line
        for line in plain.split("\n")))
    yield from comments(text)


def pages(arguments, sources):
    for argument in arguments:
        if os.path.isfile(argument):
            yield argument
        for folder, folders, names in os.walk(argument):
            folders[:] = [f for f in folders if not f.startswith(".")]
            for name in sorted(names):
                path = os.path.normpath(os.path.join(folder, name))
                endings = (".def", ".td", ".cpp", ".h", ".cu", ".py", ".cmake", ".sh",
                           ".js", ".json", ".mjs", ".ts", ".cuh", ".bzl", ".yml",
                           ".yaml", ".bash", ".fish", ".test", "CMakeLists.txt") if sources else (".md",)
                if name.endswith(endings) and not SKIPPED.search(os.path.relpath(path, argument)):
                    yield path


def main():
    arguments, read, table = sys.argv[1:], paragraphs, os.path.join(HERE, "phrases.txt")
    while arguments and arguments[0].startswith("--"):
        option = arguments.pop(0)
        if option == "--strings":
            read = literals
        elif option == "--comments":
            read = comments
        elif option == "--phrases":
            table = arguments.pop(0)
        else:
            sys.exit(__doc__)
    phrases = list(read_phrases(table))
    count = found = 0
    for page in pages(arguments, read is not paragraphs):
        count += 1
        with open(page, encoding="utf-8") as f:
            text = f.read()
        for line, piece in (descriptions if read is comments and page.endswith(".test") else read)(text):
            # A sentence within the piece is matched like the beginning of the piece.
            for sentence in re.finditer(r"\S(?:(?!(?<=[.:;!])\s+(?=[A-Z])).)*", piece, re.S):
                for pattern, instead in phrases:
                    for match in pattern.finditer(sentence[0]):
                        found += 1
                        at = line + piece.count("\n", 0, sentence.start() + match.start())
                        print(f"{page}:{at}: '{' '.join(match[0].split())}': write '{instead}'")
    print(f"{count} files, {len(phrases)} phrases, {found} found")
    sys.exit(2 if not count or not phrases else bool(found))


main()
