#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Scores the analysis on the labeled programs in this folder; see README.md.
#
#   accuracy.py --driver PATH [--half open|locked|all] [--list] [--only NAME]...
#               [--cuda-path DIR] [--jobs N] [--arg=ARG]...
#               [--at-least N] [--at-most-extra N]
#
# Exit status: 1 if a program was not fully analyzed, a certain finding is extra,
# or a bound given by --at-least or --at-most-extra is not met.

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LABEL = re.compile(r"// HAZARD (\w+)(?:\s+#(\w+))?")
SHOWN = ("certain", "likely")
# Headers that fewer programs include are not shared.
FEWEST_PROGRAMS = 100

# Folders whose pairs are all open.
OPEN = ("mixed", "library", "service", "varied", "field", "workday", "later", "teams", "studio",
        "internals", "products", "domains", "styles", "harness", "systems", "middleware", "tooling",
        "operations", "experiments", "benches", "houses", "practice", "trades", "offices", "labs", "firms", "clusters",
        "excerpts", "idioms", "craft", "workshop", "projects", "modules", "servers", "plans",
        "crews", "campus", "arcades", "rigs", "harbors", "yards", "docks",
        "piers", "quays", "basins", "coves", "fjords", "lagoons")

Result = collections.namedtuple("Result", "name labels found missed extra incomplete")


def pair_of(path):
    """Returns broad/heat_rod for programs/broad/heat_rod_bad.cu."""
    return f"{path.parent.name}/{path.stem.rsplit('_', 1)[0]}"


def half_of(pair):
    """Pairs are split by a hash of their names, not by choice."""
    folder = pair.split("/")[0]
    if folder in OPEN:
        return "open"
    if folder == "ordinary":
        return "locked"
    digest = hashlib.sha256(("exam2" + pair).encode()).digest()
    return "open" if digest[0] % 2 == 0 else "locked"


def labels_of(text):
    """Maps each label to its category and lines; lines with the same tag are one
    label."""
    labels = collections.OrderedDict()
    for number, line in enumerate(text.splitlines(), 1):
        if match := LABEL.search(line):
            category, tag = match.groups()
            key = f"{category} #{tag}" if tag else f"{category} at {number}"
            labels.setdefault(key, (category, []))[1].append(number)
    return labels


def lines_of(finding):
    """The lines of a finding with one more on each side, and the lines of its chain."""
    place = finding["location"]
    last = place.get("end_line", place["line"])
    lines = set(range(place["line"] - 1, last + 2))
    lines |= {step["location"]["line"] for step in finding.get("chain", [])
              if step.get("location")}
    return lines


def command_of(options, sources):
    command = [options.driver, "--format=json", "--quiet", *options.arg,
               f"--cache-dir={options.work / 'cache'}"]
    if options.cuda_path:
        command.append(f"--cuda-path={options.cuda_path}")
    return command + [*map(str, sources), "--", "-x", "cuda", "-std=c++17",
                      *options.common]


def common_headers(paths):
    """The headers of the standard library and of CUDA that many programs include."""
    users = collections.Counter()
    for path in paths:
        users.update(set(re.findall(r"^#include <(\S+)>", path.read_text(), re.M)))
    return [header for header, count in users.most_common()
            if count >= FEWEST_PROGRAMS]


def share_headers(paths, options):
    """Parses these headers once: each program begins with them. The tool stores the
    headers that three units of one run share."""
    headers = common_headers(paths)
    if not headers:
        return
    common = options.work / "common.h"
    common.write_text("#pragma once\n"
                      + "".join(f"#include <{header}>\n" for header in headers))
    options.common = ["-include", str(common)]
    sources = [options.work / f"headers{n}.cu" for n in range(3)]
    for source in sources:
        source.write_text("\n")
    subprocess.run(command_of(options, sources), cwd=options.work,
                   capture_output=True, timeout=300)


def score(number, path, options):
    """Analyzes a copy, so that no configuration of this repository applies."""
    text = path.read_text()
    labels = labels_of(text)
    copy = options.work / f"{path.stem}_{number}.cu"
    copy.write_text(text)
    run = subprocess.run(command_of(options, [copy]), cwd=options.work,
                         capture_output=True, text=True, timeout=300)
    try:
        report = json.loads(run.stdout)
    except ValueError:
        return Result(pair_of(path), labels, [], list(labels), [],
                      run.stderr.strip() or f"exit status {run.returncode}")
    hit, found, extra = set(), [], []
    for finding in report["findings"]:
        if finding["confidence"] not in SHOWN:
            continue
        lines = lines_of(finding)
        touched = [key for key, (_, at) in labels.items() if lines & set(at)]
        hit.update(touched)
        (found if touched else extra).append(finding)
    incomplete = report["coverage"].get("incomplete")
    return Result(path.parent.name + "/" + path.stem, labels, found,
                  [key for key in labels if key not in hit], extra,
                  incomplete[0]["reason"] if incomplete else "")


def show(result):
    print(result.name, result.incomplete)
    for key in result.missed:
        print(f"  missed: {key}, line {result.labels[key][1][0]}")
    for finding in result.extra:
        print(f"  extra, {finding['confidence']}: line "
              f"{finding['location']['line']}: {finding['message']} "
              f"[{finding['check']}]")


def summarize(results):
    """Prints the table; returns the numbers of hazards found, extra findings, and
    certain extra findings."""
    by_category = collections.defaultdict(collections.Counter)
    for result in results:
        for key, (category, _) in result.labels.items():
            by_category[category]["all"] += 1
            by_category[category]["found"] += key not in result.missed
    for category, count in sorted(by_category.items()):
        print(f"{category:14} {count['found']:3} of {count['all']:3}")
    hazards = sum(count["all"] for count in by_category.values())
    found = sum(count["found"] for count in by_category.values())
    right = sum(len(result.found) for result in results)
    extra = [finding for result in results for finding in result.extra]
    certain = sum(finding["confidence"] == "certain" for finding in extra)
    legal = sum(len(result.extra) for result in results if not result.labels)
    print(f"{len(results)} programs: {found} of {hazards} hazards found; "
          f"{len(extra)} of {right + len(extra)} findings extra "
          f"({legal} in legal programs, {certain} certain)")
    return found, len(extra), certain


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--driver", required=True)
    parser.add_argument("--half", choices=("open", "locked", "all"), default="open")
    parser.add_argument("--list", action="store_true",
                        help="list missed labels and extra findings")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--cuda-path")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--arg", action="append", default=[])
    parser.add_argument("--at-least", type=int, default=0)
    parser.add_argument("--at-most-extra", type=int)
    options = parser.parse_args()
    if os.sep in options.driver:
        options.driver = os.path.abspath(options.driver)
    paths = [path for path in sorted(HERE.glob("programs/*/*.cu"))
             if options.half in ("all", half_of(pair_of(path)))
             and (not options.only or any(name in str(path) for name in options.only))]
    if not paths:
        sys.exit("accuracy.py: no program has this name")
    with (tempfile.TemporaryDirectory() as folder,
          concurrent.futures.ThreadPoolExecutor(options.jobs) as pool):
        options.work = pathlib.Path(folder)
        options.common = []
        share_headers(paths, options)
        results = list(pool.map(lambda each: score(*each, options), enumerate(paths)))
    for result in results:
        # Misses in the locked half must not be visible.
        if result.incomplete or options.list and options.half == "open" and (
                result.missed or result.extra):
            show(result)
    found, extra, certain = summarize(results)
    bad = certain or any(result.incomplete for result in results)
    bad |= found < options.at_least
    bad |= options.at_most_extra is not None and extra > options.at_most_extra
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
