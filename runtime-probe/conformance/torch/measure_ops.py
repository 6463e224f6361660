#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures PyTorch's operators while at::cuda::CUDAGraph captures.

usage: measure_ops.py --output RESULT.json [--log LOG.json] [--filter REGEX]
                      [--jobs N] [--limit SECONDS] [--without-samples]

Three rounds: calls recorded from PyTorch's own samples, then operators that
none of them calls, with arguments made from their schemas, and the deliberate
cases of the files named *_cases.py. README.md describes the result.
"""

import argparse
import collections
import datetime
import gc
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
# PyTorch's tests import numba, which would use the device before the fork.
os.environ["NUMBA_DISABLE_CUDA"] = "1"
os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"

import torch

import arguments
import capture
import common_cases
import more_cases
import operator_cases
import pool
import runtime_cases
import samples

CASES = (operator_cases.CASES + more_cases.CASES + common_cases.CASES
         + runtime_cases.CASES)
PER_OVERLOAD = 8
OUT_DTYPES = ["float32", "int64", "bool"]
INFOS = []


def spread(keys, count):
    """At most `count` of the keys, in order and evenly spaced."""
    keys = sorted(keys)
    if len(keys) <= count:
        return keys
    return [keys[i * (len(keys) - 1) // (count - 1)] for i in range(count)]


def measured(name, values, level, send):
    """Measures an overload; returns the row, with facts about its arguments."""
    func = arguments.resolve(name)
    row = capture.measure(func, arguments.unbind(func._schema, values), level,
                          lambda text: send(("stage", text)))
    base, _, overload = name.partition(".")
    head = {"op": "aten::" + base, "overload": overload,
            "form": arguments.form_of(values),
            "when": arguments.labels(name, values)}
    return {**head, **row}


def strategies(name, donors):
    """Ways to create arguments for an overload that is never called."""
    schema = arguments.resolve(name)._schema
    outs = any(arguments.is_out(a) for a in schema.arguments)
    for path in donors:
        values = arguments.transfer(schema, arguments.unpack(torch.load(
            path, weights_only=False)))
        if values is None:
            continue
        for dtype in OUT_DTYPES if outs else [None]:
            yield arguments.with_outs(schema, values,
                                      dtype and getattr(torch, dtype))
    for dtype in arguments.DTYPES:
        for shape in arguments.SHAPES:
            yield arguments.generic(schema, shape, dtype)


def perform(task, send):
    """Runs one task in a child; true if the process can continue."""
    kind = task[0]
    if kind == "collect":
        _, index, folder = task
        samples.collect(INFOS[index], folder, f"s{index}", send)
        return True
    if kind == "own":
        _, name, path, level = task
        values = arguments.unpack(torch.load(path, weights_only=False))
        try:
            row = measured(name, values, level, send)
        except capture.Skip as reason:
            send(("skip", str(reason)))
            return True
        send(("row", row))
        return row["capture"] == "ok"
    if kind == "generate":
        _, name, donors, start, level = task
        reason = "no arguments"
        for number, values in enumerate(strategies(name, donors)):
            if number < start:
                continue
            send(("stage", f"{number}"))
            try:
                row = measured(name, values, level,
                               lambda text: send(("stage", f"{number} {text}")))
            except capture.Skip as error:
                reason = str(error)
                continue
            send(("row", row))
            return row["capture"] == "ok"
        send(("skip", reason))
        return True
    _, index, level = task
    case = CASES[index]
    try:
        row = case.measure(level, lambda text: send(("stage", text)))
    except capture.Skip as reason:
        send(("skip", str(reason)))
        return True
    send(("row", row))
    return row["capture"] == "ok" and not case.spoils


class Measurement:
    """Handles messages from the processes, and tasks whose process died."""

    def __init__(self):
        self.rows, self.skipped, self.errors = [], {}, []
        self.cases = collections.defaultdict(dict)

    def heard(self, task, message):
        what = message[0]
        if what == "case":
            _, name, key, path = message
            if len(self.cases[name]) < 60:
                self.cases[name].setdefault(key, path)
        elif what == "row":
            self.rows.append({"round": task[0], **message[1]})
        elif what == "skip":
            self.skipped[str(task[1])] = message[1]
        else:
            self.errors.append([str(task[:2]), message[1]])

    def died(self, task, stage):
        kind, words = task[0], (stage or "").split()
        if "capture" in words:
            self.errors.append([str(task[:2]), f"died: {stage}"])
        if kind == "collect":
            self.errors.append([INFOS[task[1]].name, f"died: {stage}"])
            return None
        if ("vary" in words or "replay" in words) and task[-1] < 2:
            return (*task[:-1], task[-1] + 1)
        if kind == "generate" and words and words[0].isdigit():
            return (*task[:3], int(words[0]) + 1, task[-1])
        self.skipped[str(task[1])] = f"the process died: {stage}"
        return None


def header(options):
    smi = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version",
                          "--format=csv,noheader"], capture_output=True,
                         text=True, check=True).stdout.splitlines()[0]
    gpu, driver = (part.strip() for part in smi.split(","))
    return {"pytorch": torch.__version__, "toolkit": torch.version.cuda,
            "gpu": gpu, "driver": driver, "python": platform.python_version(),
            "date": datetime.date.today().isoformat(), "mode": "global"}


def donors_of(name, found):
    """Recorded calls to overloads whose arguments may fit."""
    base = name.partition(".")[0]
    stems = [base, base.rstrip("_") or base, "_" + base, base.lstrip("_"),
             re.sub(r"_(copy|out|outf|ex|functional)$", "", base)]
    paths = []
    for stem in dict.fromkeys(stems):
        for other in sorted(found):
            if other.partition(".")[0] in (stem, stem + "_"):
                paths += [found[other][key] for key in spread(found[other], 3)]
    return tuple(paths[:12])


def reduced(rows):
    """One row for each outcome of an overload and its conditions; forms only if they
    distinguish outcomes."""
    groups = collections.defaultdict(list)
    for row in rows:
        deliberate = row["form"] if row["round"] == "case" else ""
        groups[row["op"], row["overload"], tuple(row["when"]),
               deliberate].append(row)
    kept = []
    for key in sorted(groups):
        outcomes = {}
        for row in sorted(groups[key], key=lambda r: r["form"]):
            outcomes.setdefault((row["capture"], row["code"],
                                 row["replay"] == "differs"), row)
        for row in outcomes.values():
            row = dict(row)
            if row.pop("round") != "case" and len(outcomes) == 1:
                row["form"] = ""
            kept.append({k: v for k, v in row.items()
                         if v is not None or k == "code"
                         if k != "form" or v})
    return kept


def write(path, head, rows):
    head = dict(head)
    head["totals"] = {
        "operators": len({r["op"] for r in rows}),
        "overloads": len({(r["op"], r["overload"]) for r in rows}),
        "rows": len(rows),
        "refused": sum(r["capture"] == "refused" for r in rows),
        "differs": sum(r["replay"] == "differs" for r in rows)}
    lines = ",\n".join(json.dumps(r, separators=(",", ":")) for r in rows)
    with open(path, "w") as file:
        file.write(json.dumps(head)[:-1] + ', "rows": [\n' + lines + "\n]}\n")
    print(head["totals"], file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--output", required=True)
    parser.add_argument("--log")
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=12)
    parser.add_argument("--limit", type=int, default=540)
    parser.add_argument("--without-samples", action="store_true")
    options = parser.parse_args()
    until = time.monotonic() + options.limit
    chosen = re.compile(options.filter)
    INFOS.extend([] if options.without_samples else samples.op_infos())
    gc.collect()
    gc.freeze()
    m = Measurement()

    def step(title, tasks, seconds):
        began = time.monotonic()
        left = pool.run(tasks, perform, m.heard, m.died, options.jobs, seconds,
                        until)
        print(f"{title}: {len(tasks)} tasks, {left} left, {len(m.rows)} rows, "
              f"{time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        step("cases", [("case", i, 0) for i, c in enumerate(CASES)
                       if chosen.search(c.op)], 30)
        step("samples", [("collect", i, folder) for i, op in enumerate(INFOS)
                         if chosen.search(op.name)], 40)
        step("recorded", [("own", name, m.cases[name][key], 0)
                          for name in sorted(m.cases) if chosen.search(name)
                          for key in spread(m.cases[name], PER_OVERLOAD)], 30)
        have = {r["op"][len("aten::"):] + ("." + r["overload"] if r["overload"]
                                           else "") for r in m.rows}
        rest = [name for name in arguments.names()
                if name not in have and chosen.search(name)
                and arguments.resolve(name) is not None
                and arguments.takes_tensors(arguments.resolve(name)._schema)]
        step("generated", [("generate", name, donors_of(name, m.cases), 0, 0)
                           for name in rest], 40)
    rows = reduced(m.rows)
    write(options.output, header(options), rows)
    if options.log:
        have = {r["op"][len("aten::"):] + ("." + r["overload"] if r["overload"]
                                           else "") for r in m.rows}
        with open(options.log, "w") as file:
            json.dump({"unmeasured": {n: m.skipped.get(n, "not reached")
                                      for n in rest if n not in have},
                       "cases": {f"{CASES[int(i)].op} {CASES[int(i)].form}": why
                                 for i, why in m.skipped.items()
                                 if i.isdigit()},
                       "schemas": {n: str(arguments.resolve(n)._schema)
                                   for n in arguments.names()
                                   if arguments.resolve(n) is not None},
                       "errors": m.errors}, file, indent=1)


if __name__ == "__main__":
    main()
