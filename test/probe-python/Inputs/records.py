#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: records.py PROGRAM [ARGUMENTS]. Runs PROGRAM with the stand-in for PyTorch in
this folder, without and with the companion. Output and status must be the same. Prints
the companion's records, without times, thread IDs, or folders."""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
COMPANION = os.path.normpath(os.path.join(HERE, "..", "..", "..", "runtime-probe", "python"))


def run(program, path, **more):
    environment = {**os.environ, **more, "PYTHONPATH": os.pathsep.join(path)}
    done = subprocess.run([sys.executable, *program], env=environment, capture_output=True,
                          text=True, timeout=60)
    # Leaves out the probe's own lines.
    errors = [e for e in done.stderr.splitlines() if not e.startswith("cudagraph-probe:")]
    return (done.returncode, done.stdout, "\n".join(errors)), done.stderr


def show(record):
    record.pop("t", None)
    record.pop("tid", None)
    text = json.dumps(record)
    text = re.sub(r'\{"file": "(?:[^"]*/)?([^"/]+)", "line": (\d+), "function": "([^"]*)"\}',
                  r'\3@\1:\2', text)
    return re.sub(r'"(?:/[^"/]+)+/([^"/]+\.py)"', r'"\1"', text)


def main():
    fakes = [os.path.join(HERE, "site-packages"), HERE]
    plain, _ = run(sys.argv[1:], fakes)
    with tempfile.TemporaryDirectory() as traces:
        watched, errors = run(sys.argv[1:], [COMPANION, *fakes], CUDAGRAPH_PROBE_TRACE=traces)
        if plain != watched:
            print(f"differs: {plain} without, {watched} with the companion")
            sys.exit(1)
        print(f"status {plain[0]}")
        for line in errors.splitlines():
            if line.startswith("cudagraph-probe:"):
                print(re.sub(r"(?:/[^/ ]+)+/", "", line))
        names = [n for n in os.listdir(traces) if n.endswith(".python.jsonl")]
        for name in sorted(names, key=lambda n: int(n.split(".")[0])):
            with open(os.path.join(traces, name)) as f:
                for line in f:
                    print(show(json.loads(line)))


main()
