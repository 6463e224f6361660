#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the project's address and version in text that users copy.

usage: address.py                        lists places that differ; status 1 if any
       address.py --write [ADDRESS]      updates them, after moving to ADDRESS

project() in CMakeLists.txt has both: VERSION and HOMEPAGE_URL. Builds, packages,
and the extension read them there. Pages, hooks, and samples repeat them.
"""

import os
import re
import subprocess
import sys

ROOT = os.environ.get("CUDAGRAPH_ROOT") or os.path.dirname(
    os.path.dirname(os.path.abspath(__file__)))
PROJECT = "CMakeLists.txt"
VERSION = re.compile(r"^project\(cudagraph-tidy\s+VERSION ([0-9.]+)", re.M)
HOMEPAGE = re.compile(r'^(\s+HOMEPAGE_URL )"(https://[^"/]+/([^"]+?))"', re.M)
# The searched files: all text that users copy from.
TEXT = re.compile(r"^(README\.md|CHANGELOG\.md|mkdocs\.yml|action\.yml|\.pre-commit-hooks\.yaml"
                  r"|(docs|examples|skills|ci|editors)/.*\.(md|ya?ml|json|toml|lua|el))$")
NAME = r"(?:[\w.-]+/)+cudagraph-tidy"
# The address with its host, and without it where the host is implied.
PATTERNS = (
    (re.compile(r"https://[\w.-]+/" + NAME + r"(?![\w-])"), "{address}"),
    (re.compile(r"(?<=uses: )" + NAME), "{path}"),
    (re.compile(r"(?<=project: )" + NAME), "{path}"),
    # Addresses of releases, by tag and by file.
    (re.compile(r"(?<=cudagraph-tidy@)v\d+\.\d+\.\d+"), "v{version}"),
    (re.compile(r"(?<=rev: )v\d+\.\d+\.\d+(?= # cudagraph-tidy)"), "v{version}"),
    (re.compile(r"(?<=ref: )v\d+\.\d+\.\d+(?= # cudagraph-tidy)"), "v{version}"),
    (re.compile(r"(?<=releases/download/)v\d+\.\d+\.\d+"), "v{version}"),
    (re.compile(r"(?<=cudagraph_tidy-)\d+\.\d+\.\d+(?=-py3)"), "{version}"),
    (re.compile(r"(?<=cudagraph_clangd-)\d+\.\d+\.\d+(?=-py3)"), "{version}"),
    (re.compile(r"(?<=cudagraph-tidy-)\d+\.\d+\.\d+(?=-linux)"), "{version}"),
)
# Placeholders that readers would have to replace, as in `image: <an image that has curl>`.
HOLE = re.compile(r"<(?:address|owner|group|commit|an?|the|its|your)\b[^<>]*>")


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read()


def write(name, text):
    with open(os.path.join(ROOT, name), "w", encoding="utf-8") as f:
        f.write(text)


def files():
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", ROOT, "ls-files", "-co", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout.split("\n")
    return [name for name in listed if TEXT.match(name) and "node_modules" not in name]


def facts():
    text = read(PROJECT)
    version, home = VERSION.search(text), HOMEPAGE.search(text)
    if not version or not home:
        sys.exit(f"address.py: {PROJECT}: project() has no VERSION or no HOMEPAGE_URL")
    return {"version": version[1], "address": home[2], "path": home[3]}


def agreed(text, known):
    for pattern, wanted in PATTERNS:
        text = pattern.sub(lambda _: wanted.format(**known), text)
    return text


def main(arguments):
    if arguments[:1] == ["--write"] and len(arguments) <= 2:
        if arguments[1:]:
            if not re.fullmatch(r"https://[^\s\"/]+/[^\s\"]*[^\s\"/]", arguments[1]):
                sys.exit(f"address.py: {arguments[1]} is not the https address of a repository")
            write(PROJECT, HOMEPAGE.sub(lambda m: f'{m[1]}"{arguments[1]}"', read(PROJECT)))
        known = facts()
        for name in files():
            text = read(name)
            if agreed(text, known) != text:
                write(name, agreed(text, known))
        return 0
    if arguments:
        sys.exit(__doc__)
    known, wrong, seen = facts(), 0, 0
    for name in files():
        for number, line in enumerate(read(name).split("\n"), 1):
            seen += known["path"] in line
            other = agreed(line, known)
            hole = HOLE.search(line)
            if other != line:
                print(f"{name}:{number}: write {other.strip()}")
            elif hole:
                print(f"{name}:{number}: {hole[0]} cannot be copied")
            wrong += other != line or hole is not None
    print(f"{known['address']}, version {known['version']}: {seen} lines, {wrong} differ")
    return 1 if wrong or not seen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
