#!/usr/bin/env python3
"""usage: examples.py DRIVER DOCS -- COMPILER ARGUMENTS

Runs the driver over every ```cpp block in DOCS/**/*.md whose first line is

  // example: good [driver options]
  // example: bad [driver options]

and compares. A good example has no findings. A bad one has each complete warning below
the line to which it refers, with any wrapping:

  cudaStreamSynchronize(s);
  // warning: 'cudaStreamSynchronize' waits for stream 's', which is capturing;
  //   CUDA returns ...

Lines may follow as `// note: ...`; they must be among those the tool prints for
that warning. In docs/checks/ID.md, the check is ID unless the text ends with
a different check in brackets. Pages of a folder `recipes` are omitted:
test/contributing runs them. A C++ block without a marker is a fragment, and is only
counted.
"""

import os
import re
import subprocess
import sys
import tempfile

DIAGNOSTIC = re.compile(r"^.*?:(\d+):\d+: (warning|note|error|fatal error): (.*)$")


def blocks(path):
    """Returns the number of the first line, and the lines, of each C++ block of a
    page."""
    found, current = [], None
    with open(path) as f:
        for number, text in enumerate(f, 1):
            text = text.rstrip("\n")
            if current is None:
                if re.match(r"```(cpp|c\+\+|cuda)\s*$", text):
                    current = (number + 1, [])
            elif text.startswith("```"):
                found.append(current)
                current = None
            else:
                current[1].append(text)
    if current is not None:
        sys.exit(f"{path}:{current[0]}: the block does not end")
    return found


def expectations(lines, check):
    """Returns, for each expectation, the index of the line to which it refers,
    "warning" or "note", and the text."""
    found, code, i = [], 0, 0
    while i < len(lines):
        m = re.match(r"\s*// (warning|note): (.*)$", lines[i])
        if not m:
            if lines[i].strip() and not lines[i].strip().startswith("//"):
                code = i
            i += 1
            continue
        kind, text = m[1], m[2].strip()
        i += 1
        while i < len(lines) and (more := re.match(r"\s*//   +(\S.*)$", lines[i])):
            text += " " + more[1].strip()
            i += 1
        if kind == "warning" and check and not re.search(r" \[cudagraph-[\w-]+\]$", text):
            text += f" [{check}]"
        found.append((code, kind, text))
    return found


def run(driver, source, options, arguments):
    process = subprocess.run(
        [driver, "--quiet"] + options + [source, "--"] + arguments,
        capture_output=True, text=True, stdin=subprocess.DEVNULL)
    lines = (process.stdout + process.stderr).splitlines()
    seen = [m.groups() for m in map(DIAGNOSTIC.match, lines) if m]
    return process.returncode, [(int(n) - 1, kind, text) for n, kind, text in seen]


def problems_of(page, first, lines, driver, arguments):
    marker = re.match(r"// example: (good|bad)\b(.*)$", lines[0])
    check = re.search(r"checks/(cudagraph-[\w-]+)\.md$", page)
    wanted = expectations(lines, check and check[1])
    with tempfile.TemporaryDirectory() as directory:
        source = os.path.join(directory, "example.cu")
        with open(source, "w") as f:
            f.write("\n".join(lines) + "\n")
        status, seen = run(driver, source, marker[2].split(), arguments)

    # Notes belong to the preceding warning, regardless of their location.
    warnings = []
    for at, kind, text in seen:
        if "error" in kind:
            yield f"{page}:{first + at}: does not compile: {text}"
        elif kind == "warning":
            warnings.append((at, text, []))
        elif warnings:
            warnings[-1][2].append(text)
    current = None
    for at, kind, text in wanted:
        if kind == "note":
            if current and text not in current[2]:
                yield f"{page}:{first + at}: no such note: {text}"
            continue
        current = next((w for w in warnings if w[:2] == (at, text)), None)
        if current:
            warnings.remove(current)
        else:
            yield f"{page}:{first + at}: not printed: {text}"
    for at, text, _ in warnings:
        yield f"{page}:{first + at}: printed, but not shown: {text}"
    if marker[1] == "bad" and not wanted:
        yield f"{page}:{first}: a bad example without a warning"
    if marker[1] == "good" and wanted:
        yield f"{page}:{first}: a good example with a warning"
    if status != (1 if marker[1] == "bad" else 0):
        yield f"{page}:{first}: exit status {status}"


def main():
    driver, docs, arguments = sys.argv[1], sys.argv[2], sys.argv[4:]
    pages = sorted(os.path.join(d, name) for d, _, names in os.walk(docs)
                   for name in names if name.endswith(".md")
                   and os.path.basename(d) != "recipes")
    problems, examples, fragments = [], 0, 0
    for page in pages:
        kinds = set()
        for first, lines in blocks(page):
            if not lines or not lines[0].startswith("// example:"):
                fragments += 1
                continue
            if not re.match(r"// example: (good|bad)\b", lines[0]):
                problems.append(f"{page}:{first}: neither good nor bad: {lines[0]}")
                continue
            examples += 1
            kinds.add(lines[0].split()[2])
            problems += problems_of(page, first, lines, driver, arguments)
        if "/checks/" in page and kinds != {"good", "bad"}:
            problems.append(f"{page}: needs a good and a bad example")
    print(*problems, sep="\n")
    print(f"{examples} examples, {fragments} fragments in {len(pages)} pages")
    sys.exit(1 if problems or not examples else 0)


if __name__ == "__main__":
    main()
