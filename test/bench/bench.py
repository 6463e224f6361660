#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the analysis costs, against the two runs that a user would compare it with:

  cudagraph-tidy                            against  clang++ -fsyntax-only
  clang-tidy with all checks of the plugin  against  clang-tidy with one other check

Time is user + system time, memory is the peak of the largest process. Runs are
interleaved, and the ratio is the median of the ratios of neighbours, so that a
busy machine does less harm. Arguments after -- are Clang's; without a source,
examples/engine.cu is measured, with a CUDA toolkit if there is one.
"""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from statistics import median

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
MIB = 1024 * 1024
RSS_UNIT = 1 if sys.platform == "darwin" else 1024

Cost = namedtuple("Cost", "time memory")
Pair = namedtuple("Pair", "name ours baseline")


def parse_arguments(argv):
    compiler = []
    if "--" in argv:
        split = argv.index("--")
        argv, compiler = argv[:split], argv[split + 1:]
    p = argparse.ArgumentParser(
        usage="%(prog)s [options] [SOURCE [-- COMPILER ARGUMENTS]]",
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("source", nargs="?")
    p.add_argument("-n", "--repetitions", type=int, default=5)
    p.add_argument("--build", default=os.path.join(ROOT, "build", "release"),
                   help="build directory (build/release)")
    p.add_argument("--cuda-path", help="toolkit, or 'mock'; for the bundled source")
    p.add_argument("--trivial", default="google-build-using-namespace",
                   help="the check of the plugin's baseline (google-build-using-namespace)")
    p.add_argument("--clangxx", default="clang++-22")
    p.add_argument("--clang-tidy", default="clang-tidy-22")
    o = p.parse_args(argv)
    if o.repetitions < 1:
        p.error("--repetitions must be at least 1")
    if compiler and not o.source:
        p.error("arguments after -- need a source")
    return o, compiler


def toolkit(given):
    """The directory of a CUDA toolkit, or None for the mock headers."""
    if given == "mock":
        return None
    places = [given] if given else [os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    for place in filter(None, places):
        if os.path.isfile(os.path.join(place, "include", "cuda_runtime.h")):
            return place
    if given:
        sys.exit(f"bench: no CUDA toolkit in {given}")
    return None


def default_arguments(given):
    cuda = toolkit(given)
    print("bench:", f"CUDA toolkit in {cuda}" if cuda else "mock headers",
          file=sys.stderr)
    common = ["-std=c++17", "-x", "cuda", "--cuda-host-only", "-nocudalib",
              "--offload-arch=sm_80"]
    if cuda:
        return common + [f"--cuda-path={cuda}", "-isystem",
                         os.path.join(cuda, "include", "cccl"),
                         "-Wno-unknown-cuda-version"]
    mock = os.path.join(ROOT, "test", "Inputs", "mock")
    return common + ["-nocudainc", f"--cuda-path={mock}", "-Xclang",
                     "-target-sdk-version=12.9", "-isystem", mock,
                     "-include", "cuda_runtime.h"]


def measure(command):
    """Runs it; ends the benchmark if it does not do its whole work."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                 stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            output.seek(0)
            text = output.read().decode(errors="replace").splitlines()
            print(*text[-20:], sep="\n", file=sys.stderr)
            sys.exit(f"bench: exit status {child.returncode}: "
                     + " ".join(command))
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * RSS_UNIT)


def pairs_for(o, source, arguments):
    driver = os.path.join(o.build, "bin", "cudagraph-tidy")
    plugins = glob.glob(os.path.join(o.build, "lib", "CudaGraphTidyPlugin-*.so"))
    for tool in (driver, o.clangxx, o.clang_tidy):
        if not shutil.which(tool):
            sys.exit(f"bench: {tool} is not there")
    if len(plugins) != 1:
        sys.exit(f"bench: {len(plugins)} plugins in {o.build}/lib, not one")
    # No configuration file takes part in any of the runs.
    tidy = [o.clang_tidy, "--config={}", "--quiet"]
    return [
        Pair("driver / clang++ -fsyntax-only",
             [driver, "--quiet", "--fail-on=none", source, "--"] + arguments,
             [o.clangxx, "-fsyntax-only"] + arguments + [source]),
        Pair(f"plugin / clang-tidy with {o.trivial}",
             tidy + [f"--load={plugins[0]}", "--checks=-*,cudagraph-*", source,
                     "--"] + arguments,
             tidy + [f"--checks=-*,{o.trivial}", source, "--"] + arguments),
    ]


def row(pair, ours, baselines):
    def ratios(field):
        return [getattr(a, field) / getattr(b, field)
                for a, b in zip(ours, baselines)]
    time, memory = ratios("time"), ratios("memory")
    return (f"| {pair.name} "
            f"| {median(c.time for c in ours):.2f} s "
            f"| {median(c.time for c in baselines):.2f} s "
            f"| {median(time):.2f} ({min(time):.2f} to {max(time):.2f}) "
            f"| {median(c.memory for c in ours) / MIB:.0f} MiB "
            f"| {median(c.memory for c in baselines) / MIB:.0f} MiB "
            f"| {median(memory):.2f} |")


def main():
    o, arguments = parse_arguments(sys.argv[1:])
    if not o.source:
        o.source = os.path.join(ROOT, "examples", "engine.cu")
        arguments = default_arguments(o.cuda_path)
    if not os.path.isfile(o.source):
        sys.exit(f"bench: no file {o.source}")
    pairs = pairs_for(o, o.source, arguments)

    costs = {p: ([], []) for p in range(len(pairs))}
    for repetition in range(-1, o.repetitions):  # -1 fills the caches
        for number, pair in enumerate(pairs):
            both = [pair.ours, pair.baseline]
            order = (0, 1) if repetition % 2 else (1, 0)
            cost = {side: measure(both[side]) for side in order}
            if repetition >= 0:
                for side in order:
                    costs[number][side].append(cost[side])

    print(f"{os.path.basename(o.source)}, {o.repetitions} repetitions:\n")
    print("| ours / baseline | time | baseline | ratio (range) "
          "| peak memory | baseline | ratio |")
    print("| --- | --: | --: | --: | --: | --: | --: |")
    for number, pair in enumerate(pairs):
        print(row(pair, *costs[number]))


if __name__ == "__main__":
    main()
