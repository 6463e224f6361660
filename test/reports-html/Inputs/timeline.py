#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""timeline.py FILE: prints the timelines of a JSON report, one line per entry."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    report = json.load(f)
for region in report["regions"]:
    print(f"region {region['name']} {region['stream']}")
    for e in region["timeline"]:
        words = [str(e["location"]["line"]), "+" * e["depth"] + e["kind"]]
        if e["stream"]:
            words.append(f"[{e['stream']} {e['part']}]")
        if e["label"] and e["kind"] not in ("record", "fork", "wait"):
            words.append(e["label"])
        if e["event"]:
            words.append(e["event"])
        if not e["always"]:
            words.append("sometimes")
        print(" ", " ".join(words))
    if region["timeline_truncated"]:
        print("  truncated")
