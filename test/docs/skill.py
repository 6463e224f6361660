#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""skill.py FOLDER DRIVER: checks each FOLDER/*/SKILL.md.

Its front matter must be `name` and `description`, each on a separate line, because
programs read them before the page. The page may name only options, subcommands, and
checks that the driver has, and must name each check that is enabled by default."""

import os
import re
import subprocess
import sys

folder, driver = sys.argv[1:]
failed = False


def output(*args):
    return subprocess.run([driver, *args], capture_output=True, text=True).stdout


HELP = output("--help") + output("--help-hidden")
CHECKS = set(re.findall(r"^ *(cudagraph-[\w-]+)", output("list-checks"), re.M))


def problems(name, text):
    match = re.match(r"---\n((?:.+\n)+?)---\n\n# ", text)
    if not match:
        yield "does not begin with front matter"
        return
    fields = {}
    for line in match[1].splitlines():
        key, colon, value = line.partition(": ")
        fields[key] = value
        # The value must be text that YAML reads as a plain scalar.
        if not colon or re.search(r": | #|^[\"'\[{>|*&!%@`]", value):
            yield f"front matter: {line}"
    if list(fields) != ["name", "description"]:
        yield f"front matter has {', '.join(fields)}"
    if fields.get("name") != name or not re.fullmatch(r"[a-z0-9-]{1,64}", name):
        yield f"is called {fields.get('name')}, in the folder {name}"
    if not 0 < len(fields.get("description", "")) <= 1024:
        yield "has a description of the wrong length"
    # Options of CMake and pip are excluded.
    for option in sorted(set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text))):
        if option not in HELP:
            yield f"names {option}, which the driver does not have"
    for command in set(re.findall(r"(?:^    |`)cudagraph-tidy ([a-z][a-z-]*)(?=[ `\n])", text, re.M)):
        if not re.search(rf"cudagraph-tidy {command}\b", HELP):
            yield f"names the command {command}"
    named = set(re.findall(r"`(cudagraph-[a-z-]+)`", text)) - {"cudagraph-tidy"}
    for check in sorted(CHECKS - named):
        yield f"does not name {check}"
    for check in sorted(named - CHECKS):
        yield f"names {check}, which is not a check"


for name in sorted(os.listdir(folder)):
    with open(os.path.join(folder, name, "SKILL.md")) as f:
        for problem in problems(name, f.read()):
            print(f"{name}/SKILL.md {problem}")
            failed = True
print("read", len(os.listdir(folder)))
sys.exit(failed)
