# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks whether Clang parses the code of a case with the flags in config.json."""

import concurrent.futures
import json
import pathlib
import re
import subprocess
import time

import sources
import trees

NEAR = 30  # An error within this many lines of a marked line may hide the bug.
ERROR = re.compile(r"^([^:\n]+):(\d+):\d+: (fatal error|error): (.*)$")
LINE = re.compile(r'^# (\d+) "((?:[^"\\]|\\.)*)"')


def spans(case, version, root):
    """Line ranges that have to be readable: of the marked lines, or of the functions."""
    if case["kind"] == "good":
        return sources.ranges(case, root)
    if version == "parent":
        return [(line, line) for line in case["buggy_lines"]]
    names = set(sources.named_functions(case))
    return [(first, last) for name, first, last in sources.functions_of(root / case["file"])
            if name in names] or [(1, 1 << 30)]


def kept_lines(command, root, file):
    """Lines of a file that no #if excludes."""
    run = subprocess.run([*command, "-E", "-fdirectives-only"], cwd=root,
                         capture_output=True, text=True, errors="replace")
    kept, here, number = set(), False, 0
    for row in run.stdout.splitlines():
        if match := LINE.match(row):
            here, number = sources.same_file(match[2], root, file), int(match[1])
        else:
            if here and row.strip():
                kept.add(number)
            number += 1
    return kept


def read(case, version, command, root, limit):
    """The number of ranges that Clang parses without an error, and its messages."""
    start = time.monotonic()
    try:
        run = subprocess.run([*command, "-fsyntax-only", "-ferror-limit=0",
                              "-fno-color-diagnostics"], cwd=root, capture_output=True,
                             text=True, errors="replace", timeout=limit)
        errors = [match.groups() for match in map(ERROR.match, run.stderr.splitlines())
                  if match]
        if run.returncode and not errors:
            said = run.stderr.strip().splitlines() or [f"exit status {run.returncode}"]
            errors = [(case["file"], "1", "fatal error", said[-1])]
    except subprocess.TimeoutExpired:
        errors = [(case["file"], "1", "fatal error", f"more than {limit} s")]
    # After a fatal error, everything is unknown.
    fatal = [text for _, _, kind, text in errors if kind == "fatal error"]
    margin = NEAR if version == "parent" else 0
    lines = [int(line) for file, line, _, _ in errors
             if sources.same_file(file, root, case["file"])]
    kept = kept_lines(command, root, case["file"])
    wanted = spans(case, version, root)
    clean = [not fatal
             and not any(first - margin <= line <= last + margin for line in lines)
             and any(first <= line <= last for line in kept) for first, last in wanted]
    why = fatal or [text for _, _, _, text in errors] or ["an #if excludes the lines"]
    return {"ranges": len(wanted), "clean": sum(clean), "errors": len(errors),
            "why": "" if all(clean) else why[0], "seconds": round(time.monotonic() - start, 1)}


def parse(cases, all_trees, options):
    """Prints a line for each version; versions parsed earlier are not parsed again."""
    path = all_trees.work / "parse.json"
    known = json.loads(path.read_text()) if path.exists() else {}

    def one(item):
        case, version = item
        root, key = all_trees.root(case, version), f"{case['id']} {version}"
        try:
            all_trees.check(case, version)
            command = [options.clang, *all_trees.flags(case, version),
                       all_trees.sources(case, version)[0]]
        except trees.Missing as why:
            return key, {"ranges": 1, "clean": 0, "errors": 0, "why": str(why), "seconds": 0}
        stamp = all_trees.stamp(case, version, [command, case.get("buggy_lines")])
        if known.get(key, {}).get("stamp") == stamp:
            return key, known[key]
        return key, dict(read(case, version, command, root, options.timeout), stamp=stamp)

    todo = [(case, version) for case in cases.values() for version in case["versions"]]
    count = {"ok": 0, "part": 0, "FAIL": 0}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for key, result in pool.map(one, todo):
            known[key] = result
            pathlib.Path(path).write_text(json.dumps(known, indent=1))
            state = ("FAIL" if not result["clean"] else
                     "ok" if result["clean"] == result["ranges"] else "part")
            count[state] += 1
            print(f"{state:4} {key:46} {result['errors']:4} errors {result['seconds']:6} s  "
                  f"{result['why'][:120]}".rstrip(), flush=True)
    print(f"{count['ok']} versions read, {count['part']} in part, {count['FAIL']} not")
    return not count["FAIL"]
