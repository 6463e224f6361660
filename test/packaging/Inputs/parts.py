# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a line for each part of a CycloneDX file, and checks its form and hashes.

usage: parts.py FILE BIN

With the schema of CycloneDX in CUDAGRAPH_CYCLONEDX, a directory such as
node_modules/@cyclonedx/cyclonedx-library/res/schema, and Python's jsonschema,
the file is validated."""

import glob
import hashlib
import json
import os
import sys


def validate(bom):
    folder = os.environ.get("CUDAGRAPH_CYCLONEDX")
    if not folder:
        return
    import jsonschema

    def read(pattern):
        with open(sorted(glob.glob(os.path.join(folder, pattern)))[0]) as f:
            return json.load(f)

    schema = read("bom-1.6*.json")
    store = {}
    for pattern in ("spdx*.json", "jsf-*.json"):
        other = read(pattern)
        store[other["$id"]] = other
    resolver = jsonschema.RefResolver.from_schema(schema, store=store)
    jsonschema.Draft7Validator(schema, resolver=resolver).validate(bom)


def main(path, programs):
    with open(path) as f:
        bom = json.load(f)
    assert (bom["bomFormat"], bom["specVersion"]) == ("CycloneDX", "1.6")
    validate(bom)
    known = {c["bom-ref"] for c in bom["components"]} | {"product"}
    for edge in bom["dependencies"]:
        assert {edge["ref"], *edge["dependsOn"]} <= known, edge
    for part in bom["components"]:
        words = [part["name"], part.get("version", "?"), part["licenses"][0]["expression"]]
        for each in part.get("hashes", ()):
            with open(os.path.join(programs, part["name"]), "rb") as f:
                same = hashlib.sha256(f.read()).hexdigest() == each["content"]
            words[-1] += ", as released" if same else ", another file"
        print(*words)


main(*sys.argv[1:])
