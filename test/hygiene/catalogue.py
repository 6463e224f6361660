#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Promises of the catalogue: each function is measured, or has a reason why it is not. One
function per promise; usage: catalogue.py ROOT PROMISE [CUDA-INCLUDE]"""

import glob
import json
import os
import re
import subprocess
import sys

ROOT = INCLUDE = ""

# The minimum share of measured functions in each header.
HEADERS = {
    "cuda_runtime_api.h": (0.95, r"\bCUDARTAPI(?:_CDECL)?\s+(\w+)\s*\("),
    "cuda.h": (0.80, r"\bCUDAAPI\s+(\w+)\s*\("),
}


def conformance(module):
    """A module of runtime-probe/conformance."""
    folder = os.path.join(ROOT, "runtime-probe", "conformance")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return __import__(module)


def catalogue(*parts):
    return os.path.join(ROOT, "checks", "catalogue", *parts)


def read(path):
    with open(path) as file:
        return json.load(file)


def canonical(name):
    """Like canonicalName() in Names.cpp, for the runtime and the driver."""
    if re.match(r"cu(da)?[A-Z]", name):
        while re.search(r".(_ptsz|_ptds|_v[2-9])$", name):
            name = re.sub(r"(_ptsz|_ptds|_v[2-9])$", "", name)
    return name


def measured():
    """The calls with a usable row."""
    rows = conformance("generate").load_measured(catalogue("measured"))
    return {row["call"] for row in rows}


def declared(header, pattern):
    """The functions that a header declares, by their canonical names."""
    with open(os.path.join(INCLUDE, header), errors="replace") as file:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", file.read(), flags=re.S)
    # Names declared under either branch of an #ifdef also count; a typedef of a
    # callback does not: its name is in parentheses.
    return {canonical(name) for name in re.findall(pattern, text)}


def versions():
    """The version of the toolkit, if there is one, and those of the results."""
    path = os.path.join(INCLUDE, "cuda.h")
    found = None
    if os.path.isfile(path):
        with open(path, errors="replace") as file:
            number = re.search(r"#define CUDA_VERSION (\d+)", file.read())
        found = number and f"{int(number[1]) // 1000}.{int(number[1]) % 1000 // 10}"
    return found, {read(each)["toolkit"]
                   for each in glob.glob(catalogue("measured", "*.json"))}


def coverage():
    """Each function of the headers is measured or has a reason, but not both."""
    reasons, calls = read(catalogue("unmeasured.json"))["functions"], measured()
    for name in sorted(reasons.keys() & calls):
        yield f"unmeasured.json: {name}: is measured; remove it"
    entries = conformance("reference").load()
    known = set(entries)
    toolkit, wanted = versions()
    if toolkit not in wanted:
        # Functions that only another version declares could not be measured.
        print(f"no CUDA toolkit {' or '.join(sorted(wanted))}: the headers are "
              "not compared")
    else:
        for header, (share, pattern) in HEADERS.items():
            names = declared(header, pattern)
            known |= names
            if len(names) < 100:
                yield f"{header}: only {len(names)} functions; check the pattern"
                continue
            for name in sorted(names - calls - reasons.keys()):
                yield (f"{header}: {name}: not measured; add a case, or a "
                       "reason to unmeasured.json")
            found = len(names & calls) / len(names)
            print(f"{header}: {len(names & calls)} of {len(names)} measured")
            if found < share:
                yield f"{header}: {found:.1%} measured, not {share:.0%}"
        for name in sorted(reasons.keys() - known):
            yield f"unmeasured.json: {name}: in no header, and in no data file"


def evidence():
    """Each entry has evidence; each outcome is measured or has a reason."""
    excused = read(catalogue("unmeasured.json"))
    for kind in ("functions", "libraries"):
        for name, reason in excused[kind].items():
            if not isinstance(reason, str) or not reason.strip():
                yield f"unmeasured.json: {kind}: {name}: no reason"
        if list(excused[kind]) != sorted(excused[kind]):
            yield f"unmeasured.json: {kind}: not sorted by name"
    if excused.keys() - {"functions", "libraries"}:
        yield "unmeasured.json: has fields other than functions and libraries"
    own = {each["name"]: each
           for path in glob.glob(catalogue("data", "*.json"))
           for each in read(path).get("entries", [])}
    entries = conformance("reference").load()
    for name, entry in sorted(entries.items()):
        if not own[name].get("evidence"):
            yield f"{name}: no evidence"
        if (entry.rows and not entry.has("measured")
                and entry.library not in excused["libraries"]
                and name not in excused["functions"]):
            yield (f"{name}: its outcome is not measured; measure it, or state "
                   "the reason in unmeasured.json")
    for library in excused["libraries"].keys() - {
            entry.library for entry in entries.values()}:
        yield f"unmeasured.json: {library}: no such library"


def generated():
    """Generated files are up to date."""
    for script in ("generate.py", "reference.py"):
        done = subprocess.run(
            [sys.executable, os.path.join(ROOT, "runtime-probe", "conformance",
                                          script), "--check"],
            capture_output=True, text=True)
        if done.returncode:
            yield (done.stdout + done.stderr).strip()


def schema():
    """The data follows schema.json, which accepts what the parser accepts."""
    rules = read(catalogue("schema.json"))
    conditions = conformance("reference").definitions(
        "Conditions.def", "CONDITION")
    effects = conformance("reference").definitions("Effects.def", "EFFECT")
    roles = conformance("reference").definitions("Roles.def", "ROLE")
    traits = conformance("reference").definitions("Traits.def", "TRAIT")
    for what, listed, wanted in (
            ("roles", rules["$defs"]["group"]["properties"]["role"]["enum"], roles),
            ("traits", rules["$defs"]["traits"]["items"]["enum"], traits),
            ("conditions", rules["$defs"]["condition"]["enum"], conditions),
            ("effects",
             rules["$defs"]["entry"]["properties"]["effect"]["enum"], effects)):
        for name in sorted(set(listed) ^ set(wanted)):
            yield f"schema.json: {what}: {name!r} is in only one of the schema and the .def file"
    try:
        import jsonschema
    except ImportError:
        print("no python3-jsonschema: the data is not validated")
        return
    checker = jsonschema.Draft202012Validator(rules)
    for path in sorted(glob.glob(catalogue("data", "*.json"))):
        for error in checker.iter_errors(read(path)):
            where = "/".join(map(str, error.absolute_path))
            yield f"{os.path.basename(path)}: /{where}: {error.message[:200]}"


def main():
    global ROOT, INCLUDE
    ROOT, promise = sys.argv[1], sys.argv[2]
    INCLUDE = sys.argv[3] if len(sys.argv) > 3 else ""
    problems = list({f.__name__: f for f in (
        coverage, evidence, generated, schema)}[promise]())
    print(*problems, sep="\n")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
