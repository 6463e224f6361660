# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a line for each part of a CycloneDX file, and checks its form and hashes.

usage: parts.py FILE BIN
"""

import hashlib
import json
import os
import sys


def main(path, programs):
    with open(path) as f:
        bom = json.load(f)
    assert (bom["bomFormat"], bom["specVersion"]) == ("CycloneDX", "1.6")
    known = {c["bom-ref"] for c in bom["components"]} | {"product"}
    for edge in bom["dependencies"]:
        assert {edge["ref"], *edge.get("dependsOn", ())} <= known, edge
    for part in bom["components"]:
        words = [part["name"], part.get("version", "?"), part["licenses"][0]["expression"]]
        for each in part.get("hashes", ()):
            with open(os.path.join(programs, part["name"]), "rb") as f:
                same = hashlib.sha256(f.read()).hexdigest() == each["content"]
            words[-1] += ", as released" if same else ", another file"
        print(*words)


main(*sys.argv[1:])
