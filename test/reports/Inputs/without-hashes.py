#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""without-hashes.py A B [--compare]: writes the contents of A without the hashes of
lines to B, or fails unless both are equal."""

import json
import sys

KEY = "primaryLocationLineHash"


def load(name):
    with open(name, encoding="utf-8-sig") as f:
        document = json.load(f)
    return document, [r["partialFingerprints"] for r in document["runs"][0]["results"]]


document, prints = load(sys.argv[1])
if "--compare" in sys.argv:
    ours, theirs = [p[KEY] for p in prints], [p.get(KEY) for p in load(sys.argv[2])[1]]
    # The other file lacks the hash if the name of the source is not UTF-8.
    theirs = [t or o for t, o in zip(theirs, ours)]
    sys.exit(0 if ours == theirs else f"{ours}\n{theirs}")
for p in prints:
    del p[KEY]
with open(sys.argv[2], "w", encoding="utf-8") as f:
    json.dump(document, f)
