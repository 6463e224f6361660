# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: manpage.py GO-MD2MAN VERSION SOURCE.md OUTPUT

Makes a manual page. A line `@include PAGE.md Heading` in the source stands for
that section of a page of docs/, so that options are described in one place. Each row of
its tables becomes a paragraph with a hanging first column, and links become their text.
The date is SOURCE_DATE_EPOCH or that of the source."""

import datetime
import os
import re
import subprocess
import sys


def section(page, heading):
    """The body of a section, with its subsections one level lower."""
    with open(page, encoding="utf-8") as f:
        text = f.read()
    m = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#{{1,2}} |\Z)", text, re.M | re.S)
    if not m:
        sys.exit(f"{page}: no section '{heading}'")
    return m[2]


def term(cell):
    """`-p DIR`: the option in bold, its argument in italics."""
    code = re.fullmatch(r"`([^`]*)`", cell)
    if not code:
        return cell
    parts = re.split(r"((?<![\w-])[A-Z]{2,}\b)", code[1])
    # The name of an environment variable stays as it is.
    if "".join(parts[::2]).strip() == "" or "_" in code[1]:
        return f"**{code[1]}**"
    return "".join(f"*{p}*" if i % 2 else bold(p) for i, p in enumerate(parts))


def bold(text):
    """Brackets and spaces stay as they are."""
    return "".join(re.sub(r"([\[\]])", r"\\\1", p) if i % 2 or not p else f"**{p}**"
                   for i, p in enumerate(re.split(r"([\[\]: ]+)", text)))


def definitions(rows):
    for row in rows[2:]:  # after the head and its rule
        cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", row.strip()[1:-1])]
        yield f"{term(cells[0])}\n: {' '.join(c for c in cells[1:] if c)}\n"


def markdown(text):
    """As go-md2man understands it."""
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^()\s]*\)", r"\1", text)
    lines, table = [], []
    for line in text.split("\n") + [""]:
        if line.startswith("|"):
            table.append(line)
            continue
        if table:
            lines += definitions(table)
            table = []
        # A fence becomes a block without a language.
        lines.append(re.sub(r"^```\w+$", "```", line))
    return "\n".join(lines)


def source(path):
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    docs = os.path.join(os.path.dirname(os.path.abspath(path)), os.pardir)
    for i, line in enumerate(lines):
        if m := re.match(r"@include (\S+) (.+)$", line):
            lines[i] = section(os.path.join(docs, m[1]), m[2])
    return "\n".join(lines)


def roff(text):
    """Markup that both mandoc and groff accept without a warning."""
    lines = []
    for line in text.split("\n"):
        line = re.sub(r"\\f\(?C[BW]?", "", line).rstrip()
        if not line or (line == ".PP" and lines and lines[-1].startswith((".SH", ".SS", ".PP"))):
            continue
        # Hyphens stay as typed, so that commands can be copied.
        if not line.startswith("."):
            line = re.sub(r"(?<!\\)-", r"\\-", line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def main():
    tool, version, path, output = sys.argv[1:]
    name = os.path.basename(path).removesuffix(".md")
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or os.path.getmtime(path))
    date = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).date()
    head = f'{name.upper()} 1 "{date}" "cudagraph-tidy {version}" "User Commands"\n==========\n\n'
    made = subprocess.run([tool], input=head + markdown(source(path)), capture_output=True, text=True, check=True)
    with open(output, "w", encoding="utf-8") as f:
        f.write(roff(made.stdout))


main()
