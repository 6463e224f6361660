#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""line-hashes.py SARIF FILE: compares the hashes of FILE's lines in SARIF with those of
a window that rolls over the file, as in GitHub's upload action."""

import array
import json
import sys

SIZE, FACTOR, MASK = 100, 37, (1 << 64) - 1


def hashes(text):
    units = array.array("H", text.encode("utf-16-le", "surrogatepass"))
    window, starts = [0] * SIZE, [0] * SIZE
    value = index = line = 0
    at_start, after_return, seen, result = True, False, {}, {}

    def emit():
        if starts[index]:
            seen[value] = seen.get(value, 0) + 1
            result[starts[index]] = f"{value:x}:{seen[value]}"
            starts[index] = 0

    def push(unit):
        nonlocal value, index
        value = (value * FACTOR + unit - window[index] * pow(FACTOR, SIZE, 1 << 64)) & MASK
        window[index] = unit
        index = (index + 1) % SIZE

    for unit in [*units, 65535]:
        if unit in (9, 32) or after_return and unit == 10:
            after_return = False
            continue
        after_return = unit == 13
        unit = 10 if after_return else unit
        emit()
        if at_start:
            line += 1
            starts[index] = line
        at_start = unit == 10
        push(unit)
    for _ in range(SIZE):
        emit()
        push(0)
    return result


with open(sys.argv[2], "rb") as f:
    expected = hashes(f.read().decode("utf-8", "replace"))
with open(sys.argv[1], encoding="utf-8") as f:
    results = json.load(f)["runs"][0]["results"]
if len(results) < 5:
    sys.exit(f"{len(results)} results")
for r in results:
    number = r["locations"][0]["physicalLocation"]["region"]["startLine"]
    found = r["partialFingerprints"]["primaryLocationLineHash"]
    if found != expected[number]:
        sys.exit(f"line {number}: {found}, expected {expected[number]}")
