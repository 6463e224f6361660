#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""report.py EVENT...: writes a report of cudagraph-probe, version 1. An event:

    KIND API [CODE] [change=TYPE:FUNCTION:WHAT] [in=IDS] = FRAME < FRAME < ...
    capture MODE = FRAME < FRAME < ...

KIND is the kind of a finding, or `watched`. A frame, innermost first:
FUNCTION [@FILE:LINE[:COLUMN]] [%MODULE] [!]; `!` is inlined, `-` no name."""

import json
import re
import sys

NAMES = {900: "cudaErrorStreamCaptureUnsupported", 906: "cudaErrorStreamCaptureImplicit"}


def frame(text):
    m = re.fullmatch(r"(.*?)(?: @(\S+?):(\d+)(?::(\d+))?)?(?: %(\S+))?( !)?", text.strip())
    function, file, line, column, module, inlined = m.groups()
    result = {"function": "" if function == "-" else function, "inlined": bool(inlined)}
    if file:
        result.update(file=file, line=int(line), column=int(column or 0))
    if module:
        result["module"] = module
    return result


report = {"version": 1, "tool": {"name": "cudagraph-probe", "version": "0.1.0"},
          "captures": [], "findings": [], "watched": []}
for text in sys.argv[1:]:
    head, _, frames = text.partition(" = ")
    kind, api, *rest = head.split()
    stack = [frame(f) for f in frames.split(" < ")] if frames else []
    if kind == "capture":
        report["captures"].append({"id": len(report["captures"]) + 1, "mode": api,
                                   "begin": {"location": None, "stack": stack, "python": []}})
        continue
    event = {"api": api, "code": 0, "captures": [1], "stack": stack, "times": 1,
             "location": next((f for f in stack if "file" in f), None)}
    for word in rest:
        if word.isdigit():
            event.update(code=int(word), name=NAMES.get(int(word), ""))
        elif word.startswith("in="):
            event["captures"] = [int(i) for i in word[3:].split(",")]
        elif word.startswith("change="):
            event["changes"] = [dict(zip(("type", "function", "what"),
                                         word[7:].replace("_", " ").split(":")))]
    if kind != "watched":
        event["kind"] = kind
    report["watched" if kind == "watched" else "findings"].append(event)
json.dump(report, sys.stdout, indent=1)
