#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""fingerprints.py DRIVER SOURCE DIRECTORY: checks that fingerprints survive edits in
other places, differ between findings, and change with their line."""

import json
import os
import shutil
import subprocess
import sys

driver, source, directory = sys.argv[1:]
with open(source) as f:
    original = f.read()


def fingerprints(text):
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    with open(f"{directory}/a.cu", "w") as f:
        f.write(text)
    out = subprocess.run([driver, "--cuda-path=mock", "--format=json",
                          f"{directory}/a.cu", "--"],
                         capture_output=True).stdout
    return sorted(f["fingerprint"] for f in json.loads(out)["findings"])


first = fingerprints(original)
assert len(set(first)) == len(first) > 1, first
assert fingerprints("// moved\n\n" + original) == first
assert fingerprints(original.replace("  cuda", "\tcuda")) == first
# A different name of the capturing function moves the region, not the callee.
moved = fingerprints(original.replace("void capture(", "void another("))
assert set(moved) & set(first), (moved, first)
assert fingerprints(original.replace("(s);", "( (s) );")) != first
# Equal lines are distinguished.
twice = fingerprints(original.replace("  cudaStreamSynchronize(s);",
                                      "  cudaStreamSynchronize(s);\n" * 2))
assert len(set(twice)) == len(twice) == len(first) + 1, twice
