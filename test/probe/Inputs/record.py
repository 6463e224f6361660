#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: record.py SYMBOLIZER ROOT TRACE_DIR OUTPUT_DIR

Creates a test input from a trace of `cudagraph-probe run --trace`: the trace with
/s instead of ROOT in paths, and a table of functions and lines for the files
there (llvm-symbolizer reads the binaries). Frames of other files remain
addresses."""

import json
import os
import subprocess
import sys


def main():
    symbolizer, root, traces, output = sys.argv[1:]
    (name,) = [n for n in os.listdir(traces) if n.endswith(".jsonl")]
    with open(os.path.join(traces, name)) as f:
        lines = f.read().splitlines()
    modules, offsets = {}, {}
    for event in map(json.loads, lines):
        if event["e"] == "module" and event["path"].startswith(root + "/"):
            modules[event["id"]] = event["path"]
        for module, offset in event.get("frames", []):
            if module in modules:
                offsets.setdefault(module, set()).add(offset)
    table = {}
    for module, all_offsets in offsets.items():
        ordered = sorted(all_offsets)
        asked = "".join(f"{hex(o - 1)}\n" for o in ordered)
        said = subprocess.run(
            [symbolizer, "--output-style=JSON", f"--obj={modules[module]}"],
            input=asked, capture_output=True, text=True, check=True).stdout
        frames = {}
        for offset, answer in zip(ordered, said.splitlines()):
            frames[hex(offset)] = [
                dict(function=s["FunctionName"], file=s["FileName"].replace(root, "/s"),
                     line=s["Line"], column=s["Column"])
                for s in json.loads(answer)["Symbol"]]
        table[modules[module].replace(root, "/s")] = frames
    os.makedirs(output, exist_ok=True)
    with open(os.path.join(output, "1.jsonl"), "w") as f:
        f.write("\n".join(lines).replace(root, "/s") + "\n")
    with open(os.path.join(output, "symbols.json"), "w") as f:
        json.dump(table, f, indent=0)


main()
