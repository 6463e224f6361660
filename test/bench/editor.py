#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how long an editor waits for the diagnostics of an edit.

  editor.py [--torch DIR] [SOURCE -- ARGUMENTS]

Opens a source in cudagraph-clangd, then adds a captured wait at its end and
removes it again, -n times each. A figure is the time from the edit to the
diagnostics of that text; clangd's own delay, up to half a second in which it waits for
the next keystroke, is included. Exit status: 0; 1 if a bar is not met,
with --enforce; 2 if something could not be measured.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from statistics import median

import lsp_client
from measure import Failed
from results import machine
from tools import ROOT, Unit, bundled

BAR = 1.0  # seconds
ADDED = """
void editedCapture(cudaStream_t S) {
  cudaGraph_t G;
  cudaStreamBeginCapture(S, cudaStreamCaptureModeGlobal);
  cudaStreamSynchronize(S);
  cudaStreamEndCapture(S, &G);
}
"""


def parse_arguments(argv):
    compiler = []
    if "--" in argv:
        split = argv.index("--")
        argv, compiler = argv[:split], argv[split + 1:]
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("source", nargs="?")
    p.add_argument("-n", "--repetitions", type=int, default=5)
    p.add_argument("--build", default=os.path.join(ROOT, "build", "release"),
                   help="build directory (build/release)")
    p.add_argument("--server", help="another clangd for comparison")
    p.add_argument("--cuda-path", metavar="DIR", help="toolkit, or 'mock'")
    p.add_argument("--torch", metavar="DIR", help="unpacked headers of PyTorch")
    p.add_argument("--json", metavar="FILE", help="also write the figures to this file")
    p.add_argument("--enforce", action="store_true",
                   help="exit with 1 if the bar of the CUDA-only file is not met")
    o = p.parse_args(argv)
    o.compiler = compiler
    o.server = o.server or os.path.join(o.build, "bin", "cudagraph-clangd")
    return o


def measure(server, unit, repetitions):
    """Returns the seconds to open, and those of each edit."""
    with tempfile.TemporaryDirectory() as directory:
        directory = os.path.realpath(directory)
        name = os.path.basename(unit.source)
        shutil.copy(unit.source, os.path.join(directory, name))
        with open(os.path.join(directory, "compile_commands.json"), "w") as f:
            json.dump([{"directory": directory, "file": name,
                        "arguments": ["clang++", *unit.arguments, "-c", name]}], f)
        client = lsp_client.Client([server, "--background-index=false"], directory)
        start = time.monotonic()
        client.open(name)
        before = client.wait(name)
        opened, edits = time.monotonic() - start, []
        end = lsp_client.offset_position(client.documents[name].text,
                                         len(client.documents[name].text))
        for number in range(2 * repetitions):
            # The pause between a person's edits, in which the threads of the
            # last edit become idle.
            time.sleep(0.5)
            last = lsp_client.offset_position(client.documents[name].text,
                                              len(client.documents[name].text))
            adds = number % 2 == 0
            start = time.monotonic()
            client.change(name, [{"range": {"start": end, "end": last},
                                  "newText": ADDED if adds else ""}])
            found = client.wait(name, idle=False)
            edits.append(time.monotonic() - start)
            if server.endswith("cudagraph-clangd") and \
                    len(found) != len(before) + adds:
                raise Failed(f"{name}: {len(found)} diagnostics after an edit, "
                             f"{len(before)} before it")
        client.end()
        return opened, edits


def main(argv):
    o = parse_arguments(argv)
    if not shutil.which(o.server):
        raise Failed(f"{o.server} does not exist; build it, or select another with "
                     "--build or --server")
    if o.source:
        units, notes = [Unit(os.path.basename(o.source), o.source, o.compiler, False)], []
    else:
        units, notes = bundled(o)
    print("| source | open | edit, median | edit, range |\n| --- | --- | --- | --- |")
    rows, met = [], True
    for unit in units:
        opened, edits = measure(o.server, unit, o.repetitions)
        rows.append({"source": unit.name, "open": opened, "edits": edits})
        print(f"| {unit.name} | {opened:.2f} s | {median(edits):.2f} s | "
              f"{min(edits):.2f} to {max(edits):.2f} s |", flush=True)
        met = met and (unit is not units[0] or median(edits) < BAR)
    for note in notes:
        print(f"\n{note}.")
    about = machine({"server": o.server})
    print(f"\nLoad {about['load']}, {about['cores']} cores.")
    if o.json:
        with open(o.json, "w") as f:
            json.dump({"machine": about, "rows": rows}, f, indent=1)
    return 1 if o.enforce and not met else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (Failed, lsp_client.Failed) as error:
        print(f"editor.py: error: {error}", file=sys.stderr)
        sys.exit(2)
