#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: bench.py --probe PROBE --programs DIR [--repeat N] [--without-torch]

Runs each benchmark alone, under `cudagraph-probe run`, and, if it is installed,
under compute-sanitizer, alternately, N times each (5). Prints a Markdown table:
medians, and ratios to the benchmark alone."""

import argparse
import importlib.util
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def measure(command):
    """Returns the value, the unit, the seconds of the whole run, and all values by
    name, or None if it failed."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    seconds = time.perf_counter() - start
    found = re.findall(r"^(\w+) ([\d.]+) (\S+)$", done.stdout, re.M)
    if done.returncode or not found:
        sys.stderr.write(f"{' '.join(command)}: {done.returncode}\n{done.stderr[-2000:]}\n")
        return None
    values = {name: float(value) for name, value, _ in found}
    return values[found[0][0]], found[0][2], seconds, values


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--probe", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--without-torch", action="store_true")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        hosts = {"bare": [], "probe": [options.probe, "run", "--output",
                                       os.path.join(scratch, "report.json"), "--"]}
        sanitizer = shutil.which("compute-sanitizer")
        if sanitizer:
            hosts["compute-sanitizer"] = [
                sanitizer, "--tool", "memcheck", "--report-api-errors", "all"]
        # A sanitizer is slow, so all tools do the same work in fewer
        # iterations.
        benchmarks = {
            "launch-bound replay": [os.path.join(options.programs, "bench_replay"),
                                    "1000", "100"],
            "replay": [os.path.join(options.programs, "bench_replay"),
                       "1000", "20", "30"],
            "capture": [os.path.join(options.programs, "bench_capture"), "10000", "20"],
        }
        if not options.without_torch and importlib.util.find_spec("torch"):
            benchmarks["training"] = [sys.executable, os.path.join(HERE, "bench_training.py")]
        seen = {(b, h): [] for b in benchmarks for h in hosts}
        for _ in range(options.repeat):
            for b, command in benchmarks.items():
                for h, prefix in hosts.items():
                    result = measure(prefix + command)
                    if result:
                        seen[b, h].append(result)

    print("| benchmark | run | median | ratio | whole run | ratio |")
    print("| --- | --- | --- | --- | --- | --- |")
    for b in benchmarks:
        bare = seen[b, "bare"]
        for h in hosts:
            runs = seen[b, h]
            if not runs or not bare:
                print(f"| {b} | {h} | failed | | | |")
                continue
            value, whole = (statistics.median(r[i] for r in runs) for i in (0, 2))
            was, whole_was = (statistics.median(r[i] for r in bare) for i in (0, 2))
            print(f"| {b} | {h} | {value:.4g} {runs[0][1]} | {value / was:.3f} "
                  f"| {whole:.2f} s | {whole / whole_was:.2f} |")


if __name__ == "__main__":
    main()
