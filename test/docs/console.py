#!/usr/bin/env python3
"""usage: console.py [--update] ROOT BIN TORCH PAGES

Executes the steps on the pages of the folder PAGES. Each page is executed from its
beginning in a separate directory, which has the repository's files and a copy of
examples/:

  ```console              lines after `$ ` are run by bash, with `\\` at the end
                          continuing on the next line; the other lines are the
                          expected output. `...` alone matches any lines.
                          `cd` and `$?` apply to the following commands.
  ```diff                 is applied with git
  ```LANGUAGE title="F"   becomes the file F

The programs come from BIN, with the bundled mock headers for CUDA; T names
the headers in TORCH. The reader's home directory is called /you. --update writes the
actual output into the page, except where there is `...`; read the difference."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"```(\w+)(?: title=\"([^\"]+)\")?\s*$")
WRAPPER = """#!/bin/sh
case $1 in
explain|list-checks|link|--version|--help) exec {0} "$@" ;;
regions|ops|summarize) command=$1; shift; exec {0} $command --cuda-path=mock "$@" ;;
*) exec {0} --cuda-path=mock "$@" ;;
esac
"""


def blocks(lines):
    """Yields the kind, the title, the index of the first line, and the index after the
    last line of each block."""
    start = None
    for i, line in enumerate(lines):
        if start is None:
            m = FENCE.match(line)
            if line.startswith("```"):
                start = (m[1] if m else "", m[2] if m else None, i + 1)
        elif line.rstrip() == "```":
            yield *start, i
            start = None


def commands(lines):
    """Returns each command of a console block with its expected lines."""
    found = []
    for line in lines:
        if found and found[-1][0].endswith("\\"):
            found[-1][0] += "\n" + line
        elif line.startswith("$ "):
            found.append([line[2:], []])
        elif found:
            found[-1][1].append(line)
        else:
            sys.exit(f"output without a command: {line}")
    return found


def fits(expected, actual):
    pattern = "".join("(?:.*\n)*?" if e == "..." else re.escape(e) + "\n" for e in expected)
    return re.fullmatch(pattern, "".join(a + "\n" for a in actual))


class Reader:
    """A reader who follows a page in a separate directory."""

    def __init__(self, root, binaries, torch, directory):
        self.at = os.path.join(directory, "cudagraph-tidy")
        os.makedirs(self.at)
        # The modules in cmake/ look for the program next to that folder, where
        # it must not exist.
        for name in os.listdir(root):
            if name in ("examples", "cmake"):
                shutil.copytree(os.path.join(root, name), os.path.join(self.at, name))
            elif name not in ("build", ".git"):
                os.symlink(os.path.join(root, name), os.path.join(self.at, name))
        tools = os.path.join(directory, "bin")
        os.makedirs(tools)
        driver = os.path.join(tools, "cudagraph-tidy")
        with open(driver, "w") as f:
            f.write(WRAPPER.format(shlex.quote(os.path.join(binaries, "cudagraph-tidy"))))
        os.chmod(driver, 0o755)
        os.symlink(os.path.join(binaries, "cudagraph-probe"), os.path.join(tools, "cudagraph-probe"))
        self.environment = {
            "PATH": tools + os.pathsep + os.environ["PATH"], "HOME": directory, "LANG": "C.UTF-8",
            "XDG_CACHE_HOME": os.path.join(directory, "cache"), "T": torch}
        self.status, self.home, self.where = 0, directory, os.path.join(directory, "where")

    def run(self, command):
        script = f"(exit {self.status}); {command}\nstatus=$?; pwd > {shlex.quote(self.where)}; exit $status"
        done = subprocess.run(["bash", "-c", script], cwd=self.at, env=self.environment,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        with open(self.where) as f:
            self.at = f.read().rstrip("\n")
        self.status = done.returncode
        return done.stdout.replace(self.home, "/you").splitlines(), done.stderr

    def apply(self, diff):
        done = subprocess.run(["git", "apply", "-p0", "-"], cwd=self.at, input=diff, env=self.environment,
                              capture_output=True, text=True)
        return done.stderr.strip()

    def write(self, name, text):
        path = os.path.join(self.at, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)


def play(page, reader, lines, update):
    """Yields errors; on request, writes the printed output into `lines`."""
    moved = 0
    for kind, title, first, last in list(blocks(lines)):
        first, last = first + moved, last + moved
        text = "".join(line + "\n" for line in lines[first:last])
        if kind == "diff" and (wrong := reader.apply(text)):
            yield f"{page}:{first}: does not apply: {wrong}"
        elif title:
            reader.write(title, text)
        elif kind == "console":
            shown = []
            for command, expected in commands(lines[first:last]):
                actual, errors = reader.run(command)
                good = fits(expected, actual)
                shown += [f"$ {command}"] + (actual if update and "..." not in expected else expected)
                if not good and not (update and "..." not in expected):
                    yield (f"{page}:{first}: `{command}` printed\n" + "\n".join(actual)
                           + f"\nand ended with {reader.status}: {errors}")
            shown = "\n".join(shown).split("\n")
            lines[first:last] = shown
            moved += len(shown) - (last - first)


def main():
    arguments = sys.argv[1:]
    update = arguments[0] == "--update"
    root, binaries, torch, folder = arguments[update:]
    # Recipes change their tree; test/contributing executes them.
    pages = sorted(os.path.join(d, n) for d, _, ns in os.walk(folder) for n in ns
                   if n.endswith(".md") and os.path.basename(d) != "recipes")
    problems, played = [], 0
    for page in pages:
        with open(page, encoding="utf-8") as f:
            lines = f.read().split("\n")
        if not any(kind == "console" for kind, *_ in blocks(lines)):
            continue
        played += 1
        before = list(lines)
        with tempfile.TemporaryDirectory() as directory:
            reader = Reader(os.path.abspath(root), os.path.abspath(binaries), os.path.abspath(torch),
                            os.path.realpath(directory))
            problems += play(page, reader, lines, update)
        if lines != before and update:
            with open(page, "w", encoding="utf-8") as f:
                f.write("\n".join(lines))
    print(*problems, sep="\n")
    print(f"{played} pages played")
    sys.exit(1 if problems or not played else 0)


if __name__ == "__main__":
    main()
