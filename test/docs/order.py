#!/usr/bin/env python3
"""usage: order.py PAGES

Checks that the page of each check has the sections of docs/contributing/style.md in
order, after a paragraph that begins with "Finds"."""

import os
import re
import sys

SECTIONS = ["Why it matters", "Example", "Measured outcome", "How to fix", "Options and suppression", "Limits"]
pages = sys.argv[1]
names = sorted(n for n in os.listdir(pages) if n.endswith(".md"))
problems = []
for name in names:
    with open(os.path.join(pages, name), encoding="utf-8") as f:
        text = re.sub(r"^```.*?^```", "", f.read(), flags=re.S | re.M)
    found = re.findall(r"^##+ (.*)$", text, re.M)
    if found != SECTIONS:
        problems.append(f"{name}: has the sections {', '.join(found)}")
    if not re.match(rf"# {re.escape(name.removesuffix('.md'))}\n\nFinds ", text):
        problems.append(f"{name}: does not begin with its name and a sentence that begins with \"Finds\"")
print(*problems, sep="\n")
sys.exit(1 if problems or not names else 0)
