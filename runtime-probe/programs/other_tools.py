#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: other_tools.py --programs DIR --output FILE

Runs the ten cases of docs/comparison.md alone, under compute-sanitizer, and with
CUDA_LOG_FILE, runs their counterparts in PyTorch (torch_checks.py), and writes the
reports of each tool. Needs a GPU, compute-sanitizer, and PyTorch."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from run_gpu import machine_of

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = [("refused", c) for c in ("allocate", "synchronize", "thread", "merge", "unjoined",
                                  "implicit", "captured-event")]
CASES += [("silent", c) for c in ("escaped-launch", "escaped-copy", "survived")]
HIT = re.compile(r"Program hit (\w+) \(error (\d+)\).* on CUDA API call to (\w+)")
FRAME = re.compile(r"Host Frame: ?(.*) \[0x")


def sanitizer(command):
    """Each error that it reports, and the innermost frame of the program."""
    done = subprocess.run(["compute-sanitizer", "--tool", "memcheck", "--report-api-errors", "all",
                           *command], capture_output=True, text=True, timeout=300)
    reported = []
    for text in done.stdout.splitlines():
        if m := HIT.search(text):
            reported.append(dict(api=m[3], code=int(m[2])))
        elif reported and (m := FRAME.search(text)):
            reported[-1].setdefault("at", m[1])
    tail = done.stdout.splitlines()[-1:] if done.stdout else [done.stderr[-300:]]
    return dict(reported=reported, summary=tail[0] if tail else "")


def log_file(command, scratch):
    """The lines of CUDA's error log, without the time or the process."""
    path = os.path.join(scratch, "cuda.log")
    if os.path.exists(path):
        os.remove(path)
    subprocess.run(command, env=dict(os.environ, CUDA_LOG_FILE=path), capture_output=True, timeout=300)
    if not os.path.exists(path):
        return []
    with open(path, errors="replace") as f:
        return [re.sub(r"0x[0-9a-f]+", "ADDRESS", re.sub(r"^(\[[^]]*\])+", "", t.strip())) for t in f]


def in_torch(case):
    done = subprocess.run([sys.executable, os.path.join(HERE, "torch_checks.py"), case],
                          capture_output=True, text=True, timeout=300)
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return dict(raised=[], status=done.returncode, says=done.stderr.splitlines()[-3:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", required=True)
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for program, case in CASES:
            command = [os.path.join(options.programs, program), case]
            rows.append(dict(case=f"{program} {case}", sanitizer=sanitizer(command),
                             log_file=log_file(command, scratch), pytorch=in_torch(case)))
            print(json.dumps(rows[-1]), flush=True)
    machine = dict(machine_of(None), gpu=subprocess.run(
        ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
        capture_output=True, text=True).stdout.strip())
    machine["pytorch"] = subprocess.run(
        [sys.executable, "-c", "import torch; print(torch.__version__)"],
        capture_output=True, text=True).stdout.strip()
    with open(options.output, "w") as f:
        json.dump(dict(machine=machine, programs=rows), f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
