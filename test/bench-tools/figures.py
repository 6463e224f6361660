# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes figures as bench.py --json does, into a directory."""

import json
import os
import sys

MIB = 1024 * 1024


def figures(run, cpu, of=None, model="a processor", load=7):
    def cost(seconds):
        return {"wall": seconds / 2, "cpu": seconds, "memory": seconds * 10 * MIB}

    ratio = {"median": cpu / of, "least": 0, "most": 1} if of else None
    return {
        "machine": {"cpu": model, "cores": 2, "load": [load, 0, 0],
                    "system": "Linux",
                    "versions": {"a": "ours 1", "b": "theirs 2", "c": "theirs 2"}},
        "rows": [{"run": run, "repetitions": 3, "ours": cost(cpu),
                  "baseline": cost(of) if of else None,
                  "ratios": dict.fromkeys(("wall", "cpu", "memory"), ratio)
                  if of else {}}]}


for name, content in {
        "one": figures("one", 4, 10),
        "two": figures("two", 2, model="another processor", load=1),
        "newer": figures("one", 9, 10)}.items():
    with open(os.path.join(sys.argv[1], name + ".json"), "w") as f:
        json.dump(content, f)
