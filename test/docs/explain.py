#!/usr/bin/env python3
"""usage: explain.py DRIVER PAGES

Compares the output of `explain` for each check with the page of the check."""

import os
import subprocess
import sys

driver, pages = sys.argv[1:]
names = sorted(n for n in os.listdir(pages) if n.endswith(".md"))
different = []
for name in names:
    said = subprocess.run([driver, "explain", name.removesuffix(".md")], capture_output=True, check=True).stdout
    with open(os.path.join(pages, name), "rb") as f:
        if said != f.read():
            different.append(name)
print(*(f"{n}: explain prints a different text" for n in different), sep="\n")
sys.exit(1 if different or not names else 0)
