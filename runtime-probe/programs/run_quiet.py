#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: run_quiet.py --probe PROBE --sources DIR --build DIR [--half open|locked|all]
                    [--jobs N] [--at-once N] [--output FILE] [--list]

Runs the programs of --sources (test/accuracy/programs, FOLDER/NAME_ok.cu and NAME_bad.cu)
without and with the probe. The output and the status must be the same, and the legal
programs (_ok) must have no finding. A program that uses freed memory, for which `PROBE run`
has a finding, may print other values in each run. Figures only; --list prints the findings
in legal programs and the differences of the open half. Exits with 1 if a legal program has
a finding or a difference."""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import sys

from run_confirm import build, command, gpu, half, is_open
from run_gpu import machine_of

UNDEFINED = {"freed-memory", "pageable-copy", "overwritten-source", "unordered"}


def findings_of(path):
    if not os.path.exists(path):
        return None
    with open(path) as f:
        return json.load(f)["findings"]


def run(options, source, program):
    """(findings or None, lines of text, whether output and status are the same)"""
    folder = os.path.dirname(program)
    bare = command(program, cwd=folder)
    report = program + ".quiet.json"
    done = command(options.probe, "run", "--output", report, "--", program, cwd=folder)
    if bare is None or done is None:
        return None, 0, bare is None and done is None
    same = (bare.stdout, bare.returncode) == (done.stdout, done.returncode)
    # The probe's text follows that of the program.
    lines = len(done.stderr.splitlines()) - len(bare.stderr.splitlines())
    return findings_of(report), lines, same


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("--probe", "--sources", "--build"):
        parser.add_argument(name, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--at-once", type=int, default=4, help="programs that run")
    parser.add_argument("--half", choices=("open", "locked", "all"), default="open")
    parser.add_argument("--output")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    for name in ("probe", "sources", "build"):
        setattr(options, name, os.path.abspath(getattr(options, name)))

    sources = [os.path.relpath(p, options.sources)
               for p in sorted(glob.glob(os.path.join(options.sources, "*", "*.cu")))]
    sources = [s for s in sources if options.half in ("all", half(s))]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        programs = list(pool.map(lambda s: build(options, s), sources))
    built = [(s, p) for s, p in zip(sources, programs) if p]
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        results = list(pool.map(lambda sp: run(options, *sp), built))

    rows, wrong = collections.Counter(), 0
    legal, kinds, remarks, lines = 0, collections.Counter(), collections.Counter(), []
    for (source, _), (found, count, same) in zip(built, results):
        ok = source.endswith("_ok.cu")
        legal += ok
        loud = [f for f in found or [] if f["severity"] != "remark"]
        undefined = any(f["kind"] in UNDEFINED for f in loud)
        rows[ok, "same" if same else "undefined" if undefined else "different"] += 1
        shown = options.list and is_open(source)
        if shown and not same:
            print(f"{source}: prints different text with the probe"
                  + (", and uses freed or unordered memory" if undefined else ""))
        if found is None:
            print(f"{source if is_open(source) else 'a program'}: no report", file=sys.stderr)
        if not ok:
            continue
        wrong += bool(loud) + (not same)
        lines.append(count)
        kinds.update(f["kind"] for f in loud)
        remarks.update(f["kind"] for f in found or [] if f["severity"] == "remark")
        for f in loud if shown else []:
            place = f["location"] or {}
            print(f"{source}:{place.get('line')}: {f['severity']}: {f['message']} [{f['kind']}]")
    lines.sort()
    median = lines[len(lines) // 2] if lines else 0
    print(f"{len(built)} of {len(sources)} programs built; {legal} legal: "
          f"{sum(kinds.values())} findings {dict(kinds)}, remarks {dict(remarks)}, "
          f"a median of {median} lines of text, and at most {lines[-1] if lines else 0}")
    for ok in (True, False):
        print(f"{'legal' if ok else 'wrong'}: output and status are the same for "
              f"{rows[ok, 'same']}, different for {rows[ok, 'different']}, and for "
              f"{rows[ok, 'undefined']} with undefined values")
    if options.output:
        with open(options.output, "w") as f:
            json.dump(dict(machine_of(None), gpu=gpu(), half=options.half, programs=len(built),
                           legal=legal, findings=dict(kinds), remarks=dict(remarks),
                           lines_median=median, lines_most=lines[-1] if lines else 0,
                           **{f"{'legal' if ok else 'wrong'}_{what}": rows[ok, what]
                              for ok in (True, False)
                              for what in ("same", "different", "undefined")}), f, indent=1)
            f.write("\n")
    sys.exit(1 if wrong or not built else 0)


if __name__ == "__main__":
    main()
