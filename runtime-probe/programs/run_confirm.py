#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: run_confirm.py --probe PROBE --findings DIR --sources DIR --build DIR
                      [--half open|locked|all] [--only NAME]... [--traces DIR]
                      [--jobs N] [--at-once N] [--output FILE] [--list]

Counts what `PROBE confirm` reports for certain and likely findings, on programs whose
main() demonstrates the label (test/accuracy/programs). DIR of --findings has
FOLDER/NAME.json of `cudagraph-tidy --format=json`, created in the folder of --sources,
for FOLDER/NAME.cu. Programs without findings are skipped. The others are built into
--build and run twice without the probe and once with it: a program that prints the same
text twice must also print it with the probe.

Prints only figures, by folder. A finding that accuracy.py counts as found, or that has a
note at a HAZARD comment, is correct; a correct finding that is refuted is an error of the
probe. --list prints each finding of the open half of the programs, which developers may
read. --traces keeps the trace of each run in DIR/FOLDER/NAME, for `PROBE report`."""

import argparse
import collections
import json
import os
import sys

from labeled import (add_options, build_all, command, difference, gpu, is_open, parse, run_all,
                     sources_in)
from run_gpu import machine_of

from accuracy import SHOWN, labels_of, lines_of

STATUSES = ("confirmed", "refuted", "not-reproduced", "not-watched", "not-executed")
SILENT = ("stale", "dangling", "refused launch")
PATHS = ("--probe", "--findings", "--sources", "--build")


def kind_of(finding):
    """One of SILENT, or another kind of outcome."""
    if "at the second launch of the graph" in finding["message"]:
        return "refused launch"
    if finding["check"] == "cudagraph-ignored-result":
        return "ignored result"
    return finding["outcome"]["kind"]


def findings_of(options, source):
    """The findings, or an empty list if the program was not analyzed."""
    path = os.path.join(options.findings, source[:-3] + ".json")
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return json.load(f)["findings"]


def is_right(finding, labels):
    """Decides like accuracy.py, and also accepts a note at a marked line, such as the
    line that changes a value."""
    marked = {line for _, lines in labels.values() for line in lines}
    notes = {n["location"]["line"] for n in finding["notes"] if n["location"]}
    return bool(marked & (lines_of(finding) | notes))


def confirm(options, source, program):
    """Returns the findings with their confirmation, whether the program demonstrates
    its label with the probe and without it, and how the output differs."""
    folder = os.path.dirname(program)
    output, keep = program + ".confirmed.json", []
    if options.traces:
        keep = ["--trace", os.path.join(options.traces, source[:-3])]
        os.makedirs(os.path.dirname(keep[1]), exist_ok=True)
    done = command(options.probe, "confirm", "--format=json", "--output", output, *keep,
                   os.path.join(options.findings, source[:-3] + ".json"), "--", program,
                   cwd=folder)
    bare, differs = difference(program, folder, done)
    without = bool(bare) and "LABEL CONFIRMED" in bare.stdout
    if done is None or not os.path.exists(output):
        print(f"{source}: no result", done.stderr[-300:] if done else "ran too long",
              file=sys.stderr)
        return [], False, without, differs
    with open(output) as f:
        joined = json.load(f)["findings"]
    with open(os.path.join(options.sources, source)) as f:
        labels = labels_of(f.read())
    found = []
    for a, b in zip(findings_of(options, source), joined):
        if a["confidence"] not in SHOWN:
            continue
        c = b["confirmation"]
        found.append(dict(kind=kind_of(a), check=a["check"].removeprefix("cudagraph-"),
                          right=is_right(a, labels), label=bool(labels),
                          place=f"{source}:{a['location']['line']}",
                          status=c["status"], note=c["note"]))
    return found, "LABEL CONFIRMED" in done.stdout, without, differs


class Table:
    """Counts findings by the fields in KEYS."""
    KEYS = ("folder", "kind", "check", "right", "status")

    def __init__(self):
        self.rows = collections.Counter()

    def add(self, folder, finding):
        self.rows[(folder, *(finding[key] for key in self.KEYS[1:]))] += 1

    def count(self, **want):
        at = {self.KEYS.index(key): value if isinstance(value, tuple) else (value,)
              for key, value in want.items()}
        return sum(n for key, n in self.rows.items()
                   if all(key[i] in values for i, values in at.items()))

    def values(self, key):
        return sorted({row[self.KEYS.index(key)] for row in self.rows})

    def show(self, key, **want):
        for value in self.values(key):
            counts = [(self.count(**{key: value, "status": s, **want}), s) for s in STATUSES]
            if any(n for n, _ in counts):
                print(f"  {value}: " + ", ".join(f"{n} {s}" for n, s in counts if n))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_options(parser, *PATHS)
    parser.add_argument("--traces")
    options = parse(parser, *PATHS, "--traces")
    sources = [source for source in sources_in(options) if findings_of(options, source)]
    built = build_all(options, sources)
    results = run_all(options, built, confirm)

    table, labels, without, differing = Table(), 0, 0, collections.Counter()
    for (source, _), (found, label, bare, differs) in zip(built, results):
        labels += label
        without += bare
        differing["varies" if differs == "varies" else "different" if differs else "same"] += 1
        name = source if is_open(source) else "a program"
        if label != bare:
            print(f"{name}: shows its label {'with' if label else 'without'} the probe only")
        if differs and options.list:
            print(f"{name}: " + ("varies" if differs == "varies" else
                                 f"differs with the probe: {differs}"))
        for f in found:
            table.add(source.split("/")[0], f)
            if options.list and is_open(source):
                print(f"{f['place']}: {f['check']} {f['kind']} right={f['right']}"
                      f"{'' if f['label'] else ' LEGAL'}: {f['note']}")
    print(f"{len(built)} of {len(sources)} programs built, {labels} show their label under "
          f"the probe, {without} without it")
    print(f"output and status: {dict(differing)}")
    table.show("kind")
    table.show("check")
    silent = dict(kind=SILENT)
    executed = table.count(**silent) - table.count(**silent, status="not-executed")
    decided = table.count(**silent, status=("confirmed", "refuted"))
    print(f"{decided} of {executed} executed ones about replays are confirmed or refuted")
    for what, want in (("those about replays", silent), ("all", {})):
        print(f"of {what}, right and refuted: "
              f"{table.count(right=True, status='refuted', **want)}; wrong and confirmed: "
              f"{table.count(right=False, status='confirmed', **want)}")
    if options.output:
        rows = [dict(zip(Table.KEYS, key), findings=n) for key, n in sorted(table.rows.items())]
        with open(options.output, "w") as f:
            f.write(json.dumps(dict(machine_of(None), gpu=gpu(), half=options.half,
                                    programs=len(built), labels=labels,
                                    labels_without=without, output=dict(differing)))[:-1]
                    + ', "findings": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}\n")
    sys.exit(0 if built else 1)


if __name__ == "__main__":
    main()
