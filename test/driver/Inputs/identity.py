#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""identity.py DRIVER SOURCE...: analyzes the sources in many ways and fails
unless text, JSON, and exit status are the same in all of them. Prints the
text."""

import os
import random
import subprocess
import sys

driver, sources = sys.argv[1], sys.argv[2:]
common = ["--strict", "--confidence=possible", "--roots=stream-param"]
mock = "--cuda-path=mock"


def report(*arguments):
    run = subprocess.run(
        [driver, *arguments, *common, "--format=json:out.json"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    text = subprocess.run([driver, *arguments, *common],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True)
    with open("out.json") as f:
        return text.stdout, f.read(), run.returncode, text.returncode


def shuffled(names, seed):
    names = list(names)
    random.Random(seed).shuffle(names)
    return names


def analyse(names, *arguments):
    # Options precede "--", so that the order of the sources and the rest is fixed.
    return report(mock, *arguments, *names)


summaries = []
for index, source in enumerate(sources):
    summaries.append(f"{index}.sum")
    subprocess.run([driver, "summarize", mock, "--quiet", "-o", summaries[-1],
                    source], check=True)

ways = {"one job, no cache": analyse(sources, "-j1", "--no-cache"),
        "eight jobs, no cache": analyse(sources, "-j8", "--no-cache"),
        "eight jobs, cold": analyse(sources, "-j8", "--cache-dir=eight"),
        "warm, one job": analyse(sources, "-j1", "--cache-dir=eight"),
        "one job, cold": analyse(sources, "-j1", "--cache-dir=one"),
        "summarize and link": report("link", *summaries),
        "link without cache": report("link", "--no-cache", *summaries)}
analyse(sources[:len(sources) // 2], "--cache-dir=half")
ways["half warm"] = analyse(sources, "-j2", "--cache-dir=half")
for seed in range(4):
    ways[f"sources in order {seed}"] = analyse(
        shuffled(sources, seed), "--cache-dir=eight")
    ways[f"summaries in order {seed}"] = report(
        "link", *shuffled(summaries, seed))

first = ways["one job, no cache"]
different = [way for way, seen in ways.items() if seen != first]
print(first[0])
if different:
    for way in different:
        print(f"--- {way}\n" + ways[way][0])
    sys.exit(f"not as with one job and no cache: {', '.join(different)}")
