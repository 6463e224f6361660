#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares reports with and without shared headers; they must be byte-identical.

  identical.py [options] SOURCE... [-- ARGUMENTS]  each source, with two copies
  identical.py [options] --project DIR -p BUILD    the units of a compile database

Each project is analyzed without preambles, then with them: cold without and with
a cache, again, after an edit to one source, and after an edit to each. Sources
are copied, and a project is edited and restored. Without ARGUMENTS, sources are
compiled like the cases of test/check.py, with each of its RUN lines.

Exit status: 0; 1 if reports differ; 2 if nothing could be compared.
"""

import argparse
import concurrent.futures
import contextlib
import difflib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from projects import edited
from tools import ROOT

sys.path.insert(0, os.path.join(ROOT, "test"))
import check  # noqa: E402

SHARED = re.compile(r"(\d+) translation units? shares? (?:its|their) leading")
EVERYTHING = ["--format=json", "--fail-on=none", "--confidence=possible",
              "--strict", "--advice", "--report-unused-nolint", "--verbose"]


def analyze(o, arguments, cwd, *more):
    """The report, and the number of units with shared headers."""
    done = subprocess.run([o.driver, *EVERYTHING, "-j", str(o.jobs), *more, *o.arg,
                           *arguments], cwd=cwd, capture_output=True)
    if done.returncode not in (0, 3):
        said = done.stderr.decode(errors="replace").splitlines()
        return f"exit status {done.returncode}: {said[-1:]}".encode(), 0
    found = SHARED.search(done.stderr.decode(errors="replace"))
    return done.stdout, int(found[1]) if found else 0


def compare(o, name, arguments, cwd, sources):
    """Returns the lines to print for one project, the number of runs that shared
    headers, and whether all reports are the same."""
    expected, _ = analyze(o, arguments, cwd, "--no-preamble", "--no-cache")
    lines, used, same = [], 0, True

    def run(what, *more):
        nonlocal used, same
        got, shared = analyze(o, arguments, cwd, "--shared-preambles", *more)
        used += shared > 0
        if got == expected:
            return
        same = False
        text = [t.decode(errors="replace").splitlines() for t in (expected, got)]
        lines.append(f"{name}: {what}: differs")
        lines.extend(list(difflib.unified_diff(*text, "without", "with", n=3,
                                               lineterm=""))[:o.show])

    run("cold, no cache", "--no-cache")
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        cache = "--cache-dir=" + folder
        run("cold", cache)
        run("warm", cache)
        edits = [stack.enter_context(edited(s)) for s in sources]
        for edit in edits[:1]:
            edit()
        run("one edited", cache)
        for edit in edits:
            edit()
        run("all edited", cache)
    return lines, used, same


def commands_of(path):
    """The compiler arguments of the RUN lines of a case of check.py."""
    with open(path) as f:
        text = f.read()
    result = []
    for line in re.findall(r"RUN:.*?%check %s(.*)", text):
        words = shlex.split(line.split("%}")[0].split("|")[0])
        words = [w for w in words if "%" not in w]
        with contextlib.suppress(SystemExit):
            given, extra = check.parse_arguments(
                [path, *words[:words.index("--") if "--" in words else None],
                 "--clang-tidy=", "--plugin=", "--driver=", "--root=" + ROOT,
                 *words[words.index("--") if "--" in words else len(words):]])
            options = [f"--roots={given.roots}"] if given.roots else []
            result.append((options, check.compiler_arguments(given, extra)))
    unique = []
    for each in result:
        if each not in unique:
            unique.append(each)
    return unique


def compare_source(o, path, compiler):
    path = os.path.abspath(path)
    folder, name = os.path.split(path)
    results = []
    for options, arguments in ([([], compiler)] if compiler is not None
                               else commands_of(path)):
        with tempfile.TemporaryDirectory() as place:
            # Copies all files that the source may include from its folder.
            copy = os.path.join(place, "source")
            if o.folder:
                shutil.copytree(folder, copy)
            else:
                os.mkdir(copy)
                shutil.copy(path, copy)
            stem, extension = os.path.splitext(name)
            names = [name, f"{stem}_second{extension}", f"{stem}_third{extension}"]
            for each in names[1:]:
                shutil.copy(path, os.path.join(copy, each))
            results.append(compare(
                o, f"{path} {' '.join(options + arguments[-2:])}",
                [*options, *names, "--", *arguments], copy,
                [os.path.join(copy, n) for n in names]))
    return results


def main():
    argv, compiler = sys.argv[1:], None
    if "--" in argv:
        split = argv.index("--")
        argv, compiler = argv[:split], argv[split + 1:]
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("source", nargs="*")
    p.add_argument("--driver", default=os.path.join(
        ROOT, "build", "release", "bin", "cudagraph-tidy"))
    p.add_argument("-j", "--jobs", type=int, default=1, help="of the driver (1)")
    p.add_argument("--parallel", type=int, default=1, help="sources at a time (1)")
    p.add_argument("--show", type=int, default=40, help="lines of a difference (40)")
    p.add_argument("--arg", action="append", default=[], help="for the driver")
    p.add_argument("--folder", action="store_true",
                   help="copy the folder of each source, for its includes")
    p.add_argument("--project", metavar="DIR")
    p.add_argument("-p", dest="database", metavar="BUILD")
    o = p.parse_args(argv)
    o.driver = os.path.abspath(o.driver)
    results = []
    if o.project:
        database = os.path.abspath(o.database or o.project)
        with open(os.path.join(database, "compile_commands.json")) as f:
            sources = [os.path.join(e["directory"], e["file"]) for e in json.load(f)]
        results.append(compare(o, o.project, ["-p", database],
                               os.path.abspath(o.project), sources))
    with concurrent.futures.ThreadPoolExecutor(o.parallel) as pool:
        for each in pool.map(lambda s: compare_source(o, s, compiler), o.source):
            results += each
    for lines, _, _ in results:
        for line in lines:
            print(line)
    used = sum(1 for _, runs, _ in results if runs)
    same = sum(1 for _, _, good in results if good)
    print(f"{len(results)} projects, {used} with shared headers, {same} identical")
    sys.exit(1 if same < len(results) else 0 if used else 2)


if __name__ == "__main__":
    main()
