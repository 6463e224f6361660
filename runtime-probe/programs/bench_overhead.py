#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: bench_overhead.py --probe PROBE --programs DIR [--subscriber FILE]
                        [--runs N] [--sanitizer-runs N] [--filter TEXT] [--output FILE]

Measures the overhead of the probe in a program that mostly launches small graphs:
runs with and without the probe alternate, because runs differ. Prints, for each
configuration, the ratios to the median without the probe, and the number of runs
within 2% of it, both for the time per launch and for the time of the calls alone.
--subscriber: the library of subscriber.cpp, whose modes show CUPTI's share."""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from bench import measure


def write(path, seen):
    if path:
        with open(path, "w") as f:
            json.dump(dict(unit="ns/launch", runs=seen), f, indent=1)
            f.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--probe", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--subscriber")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--sanitizer-runs", type=int, default=1)
    parser.add_argument("--output")
    parser.add_argument("--filter", default="", help="in the names of programs")
    options = parser.parse_args()
    programs = {
        "replay of 1 to 4 kernels": [os.path.join(options.programs, "bench_replay"), "1000", "100"],
        "replay of 31 to 34 kernels": [os.path.join(options.programs, "bench_replay"),
                                       "1000", "20", "30"],
    }
    with tempfile.TemporaryDirectory() as scratch:
        probe = [options.probe, "run", "--output", os.path.join(scratch, "report.json")]
        ways = {
            "bare": ([], {}, options.runs),
            "probe": ([*probe, "--"], {}, options.runs),
            "probe, --captures-only": ([*probe, "--captures-only", "--"], {}, options.runs),
            "probe, --captures 1000": ([*probe, "--captures", "1000", "--"], {}, options.runs),
            "probe, --captures 8": ([*probe, "--captures", "8", "--"], {}, options.runs),
            "probe, --replays all": ([*probe, "--replays", "all", "--"], {}, 3),
        }
        programs = {p: c for p, c in programs.items() if options.filter in p}
        if options.subscriber:
            for mode in ("nothing", "load", "subscribe", "begin", "unsubscribe", "finalize", "late",
                         "late-finalize"):
                ways[f"library, {mode}"] = ([], {
                    "CUDA_INJECTION64_PATH": os.path.abspath(options.subscriber),
                    "SUBSCRIBER_MODE": mode}, options.runs)
        if shutil.which("compute-sanitizer") and options.sanitizer_runs:
            ways["compute-sanitizer"] = (
                ["compute-sanitizer", "--tool", "memcheck", "--report-api-errors", "all"], {},
                options.sanitizer_runs)
        calls = "{}, the calls alone".format
        seen = {each: {w: [] for w in ways} for p in programs for each in (p, calls(p))}
        for turn in range(options.runs):
            for p, command in programs.items():
                write(options.output, seen)  # also of a run that is interrupted
                for way, (prefix, env, runs) in ways.items():
                    if turn >= runs:
                        continue
                    os.environ.update(env)
                    result = measure(prefix + command)
                    for name in env:
                        del os.environ[name]
                    if result:
                        seen[p][way].append(result[0])
                        seen[calls(p)][way].append(result[3]["calls"])
    print("| program | run | median | ratio | lowest | highest | within 2% |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for p in seen:
        if not seen[p]["bare"]:
            continue
        bare = statistics.median(seen[p]["bare"])
        for way, values in seen[p].items():
            if not values:
                print(f"| {p} | {way} | failed | | | | |")
                continue
            ratios = [v / bare for v in values]
            near = sum(r <= 1.02 for r in ratios)
            print(f"| {p} | {way} | {statistics.median(values):.1f} ns "
                  f"| {statistics.median(ratios):.3f} | {min(ratios):.3f} | {max(ratios):.3f} "
                  f"| {near} of {len(ratios)} |")
    write(options.output, seen)
    sys.exit(0 if all(seen[p]["bare"] for p in programs) else 1)


if __name__ == "__main__":
    main()
