#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""page.py FILE: reads an HTML report as a browser would, and fails unless it is
well-formed and self-contained, and escapes quoted text. Prints its outline."""

import base64
import hashlib
import re
import sys
import unicodedata
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "wbr", "br", "img"}
# Elements whose end tag may be omitted, by the tags that close them.
OPTIONAL = {"li": {"li", "ol", "ul"}}
PRINT = {"h1", "h2", "h3", "h4", "caption"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.outline = [], [], [], []
        self.policy, self.problems, self.text = "", [], {"style": "", "script": ""}
        self.shown = ""

    def complain(self, what):
        self.problems.append(f"line {self.getpos()[0]}: {what}")

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        for name, value in attributes:
            if name.startswith("on") or name == "style":
                self.complain(f"<{tag} {name}>")
            if name in ("src", "href", "action", "data", "xlink:href"):
                self.links.append((tag, value))
        if "id" in names:
            self.ids.append(names["id"])
        if names.get("http-equiv") == "Content-Security-Policy":
            self.policy = names["content"]
        if tag in OPTIONAL and self.open and self.open[-1][0] == tag:
            self.open.pop()
        if tag not in VOID:
            self.open.append([tag, names.get("class", ""), ""])

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        while self.open and self.open[-1][0] != tag and tag in OPTIONAL.get(self.open[-1][0], ()):
            self.open.pop()
        if not self.open or self.open[-1][0] != tag:
            self.complain(f"</{tag}> closes {[t for t, _, _ in self.open[-3:]]}")
            return
        _, kind, text = self.open.pop()
        if tag in PRINT:
            self.outline.append(f"{tag}: {' '.join(text.split())}")

    def handle_data(self, data):
        for element in self.open:
            element[2] += data if element[0] in PRINT else ""
        if self.open and self.open[-1][0] in self.text:
            self.text[self.open[-1][0]] += data
        else:
            self.shown += data


with open(sys.argv[1], "rb") as f:
    data = f.read()
source = data.decode("utf-8")
page = Page()
page.feed(source)
page.close()
problems = page.problems
if page.open:
    problems.append(f"left open: {page.open}")
for name in {i for i in page.ids if page.ids.count(i) > 1}:
    problems.append(f"two of id {name}")
for tag, link in page.links:
    if link.startswith("#"):
        if link[1:] not in page.ids:
            problems.append(f"nothing at {link}")
    elif tag == "a" and link.startswith("https://"):
        pass
    elif (tag, link) != ("link", "data:,"):
        problems.append(f"<{tag}> leads to {link}")
for what in ("style", "script"):
    digest = base64.b64encode(hashlib.sha256(page.text[what].encode()).digest()).decode()
    if f"{what}-src 'sha256-{digest}'" not in page.policy:
        problems.append(f"the policy does not allow the {what}: {page.policy}")
if "default-src 'none'" not in page.policy or "unsafe" in page.policy:
    problems.append(f"a weak policy: {page.policy}")
if re.search(r"url\((?!#)|@import|http:", page.text["style"]):
    problems.append("the style loads something")
for c in sorted(set(page.shown)):
    if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") and c not in "\n\t":
        problems.append(f"shows U+{ord(c):04X}")
if max(map(len, source.splitlines())) > 20000:
    problems.append("a line is not cut")
print("\n".join(page.outline))
sys.exit("\n".join(problems) or 0)
