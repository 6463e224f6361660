#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: run_quiet.py --probe PROBE --sources DIR --build DIR [--half open|locked|all]
                    [--only NAME]... [--jobs N] [--at-once N] [--output FILE] [--list]

Runs the programs of --sources (test/accuracy/programs, FOLDER/NAME_ok.cu and NAME_bad.cu)
without and with the probe. The output and the status must be the same, unless they vary
without the probe, and the legal programs (_ok) must have no finding. A program that uses
freed memory, for which `PROBE run` has a finding, may print different values in each run.

Prints only figures; --list also prints the findings in legal programs and the differences
of the open half. Exits with 1 if a legal program has a finding or a difference."""

import argparse
import collections
import json
import os
import sys

from labeled import (add_options, build_all, command, difference, gpu, is_open, parse, run_all,
                     sources_in)
from run_gpu import machine_of

UNDEFINED = {"freed-memory", "pageable-copy", "overwritten-source", "unordered"}
PATHS = ("--probe", "--sources", "--build")


def findings_of(path):
    if not os.path.exists(path):
        return None
    with open(path) as f:
        return json.load(f)["findings"]


def run(options, source, program):
    """Returns the findings or None, the number of lines of text, and how the output
    differs."""
    folder = os.path.dirname(program)
    report = program + ".quiet.json"
    done = command(options.probe, "run", "--output", report, "--", program, cwd=folder)
    bare, differs = difference(program, folder, done)
    if bare is None or done is None:
        return None, 0, differs
    lines = len(done.stderr.splitlines()) - len(bare.stderr.splitlines())
    return findings_of(report), lines, differs


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_options(parser, *PATHS)
    options = parse(parser, *PATHS)
    sources = sources_in(options)
    built = build_all(options, sources)
    results = run_all(options, built, run)

    rows, wrong = collections.Counter(), 0
    legal, kinds, remarks, lines = 0, collections.Counter(), collections.Counter(), []
    for (source, _), (found, count, differs) in zip(built, results):
        ok = source.endswith("_ok.cu")
        legal += ok
        loud = [f for f in found or [] if f["severity"] != "remark"]
        undefined = any(f["kind"] in UNDEFINED for f in loud)
        how = ("same" if not differs else "varies" if differs == "varies" else
               "undefined" if undefined else "different")
        rows[ok, how] += 1
        shown = options.list and is_open(source)
        if shown and differs:
            print(f"{source}: {how}: {differs}")
        if found is None:
            print(f"{source if is_open(source) else 'a program'}: no report", file=sys.stderr)
        if not ok:
            continue
        wrong += bool(loud) + (how not in ("same", "varies"))
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
              f"{rows[ok, 'same']}, different for {rows[ok, 'different']}, for "
              f"{rows[ok, 'undefined']} with undefined values, and for "
              f"{rows[ok, 'varies']} they vary without the probe")
    if options.output:
        with open(options.output, "w") as f:
            json.dump(dict(machine_of(None), gpu=gpu(), half=options.half, programs=len(built),
                           legal=legal, findings=dict(kinds), remarks=dict(remarks),
                           lines_median=median, lines_most=lines[-1] if lines else 0,
                           **{f"{'legal' if ok else 'wrong'}_{what}": rows[ok, what]
                              for ok in (True, False)
                              for what in ("same", "different", "undefined", "varies")}),
                      f, indent=1)
            f.write("\n")
    sys.exit(1 if wrong or not built else 0)


if __name__ == "__main__":
    main()
