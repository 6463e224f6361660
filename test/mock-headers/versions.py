#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the mock headers of each version of CUDA with the catalogue's versions.json:
a name that one of them declares is declared exactly in the versions that should have
it, with the same number of parameters.

usage: versions.py CLANG++ MOCK-INCLUDE versions.json"""

import json
import re
import subprocess
import sys

CLANG, MOCK, DATA = sys.argv[1:]
VERSIONS = [11040, 11060, 11080, 12000, 12010, 12020, 12030, 12040, 12050, 12080, 12090, 13000]


def declared(version):
    """Maps each name, as written in a source, to its number of parameters."""
    text = subprocess.run(
        [CLANG, "-E", "-P", "-dD", "-x", "c", "-isystem", MOCK,
         f"-DCUDAGRAPH_MOCK_CUDA_VERSION={version}", "-include", "cuda.h", "-include",
         "cuda_runtime_api.h", "/dev/null"], capture_output=True, text=True, check=True).stdout
    macros, found = {}, {}
    for line in text.splitlines():
        if m := re.match(r"#define (cu\w+) (?:__CUDA(?:RT)?_API_PT[DS][SZ]?\()?(cu\w+)\)?$", line):
            macros[m[1]] = m[2]
        elif m := re.match(r"#undef (cu\w+)$", line):
            macros.pop(m[1], None)
    code = "\n".join(x for x in text.splitlines() if not x.startswith("#"))
    for name, inside in re.findall(r"(?:cudaError_t|CUresult)\s+(cu(?:da)?[A-Z]\w+)\(([^;]*)\);", code):
        count = 0 if inside.strip() in ("", "void") else inside.count(",") + 1
        found[name] = count
    for plain, other in macros.items():
        if other in found:
            found[plain] = found[other]
    return found


with open(DATA) as f:
    NAMES = json.load(f)["names"]
SEEN = {version: declared(version) for version in VERSIONS}
problems, compared = [], 0
for name, forms in NAMES.items():
    if not any(name in seen for seen in SEEN.values()):
        continue  # The mock headers lack it.
    compared += 1
    for version in VERSIONS:
        form = next((f for f in forms if f.get("since", 0) <= version <= f.get("until", 99999)), None)
        has = SEEN[version].get(name)
        if (has is None) != (form is None):
            problems.append(f"{name}: {'missing' if form else 'declared'} in {version}")
        elif form and "parameters" in form and len(form["parameters"]) != has:
            problems.append(f"{name}: {has} parameters in {version}")
# The 12.x version that introduced cuCtxCreate_v4 is unknown.
for name in set().union(*SEEN.values()) - set(NAMES) - {"cuCtxCreate_v4"}:
    absent = [v for v in VERSIONS if name not in SEEN[v]]
    if absent:
        problems.append(f"{name}: not in versions.json, and missing in {absent}")
print("\n".join(sorted(problems)))
print(f"{compared} names compared, {len(problems)} problems")
sys.exit(1 if problems or compared < 100 else 0)
