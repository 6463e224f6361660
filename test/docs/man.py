#!/usr/bin/env python3
"""usage: man.py PROGRAM PAGE.txt

Checks that each option and subcommand in the program's --help is in the page, which is
mandoc's text."""

import re
import subprocess
import sys

program, page = sys.argv[1:]
with open(page) as f:
    text = re.sub(".\b", "", f.read())
said = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
options = re.findall(r"^  (--?[\w-]+)", said, re.M)
commands = re.findall(r"^(?:USAGE:)? +[\w-]+ ([a-z][\w-]*)", said, re.M)
missing = [o for o in options if not re.search(rf"(?<![\w-]){re.escape(o)}(?![\w-])", text)]
missing += [c for c in commands if not re.search(rf"\b{re.escape(c)}\b", text)]
print(*(f"{m}: not in {page}" for m in missing), sep="\n")
sys.exit(1 if missing or not options or not commands else 0)
