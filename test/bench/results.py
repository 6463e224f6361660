# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of figures and the bars that they must meet, as a table and as JSON."""

import json
import os
import platform
import subprocess
import sys
from collections import namedtuple

from measure import growth, ratio, typical

MIB = 1024 * 1024

COLD_CUDA = 0.8  # CPU time, of clang++ -fsyntax-only
COLD_TORCH = 0.5
COLD_EXTENSION = 0.15  # units that share their headers
PLUGIN = 1.10  # CPU time, of clang-tidy with one trivial check
MEMORY = 1.0
WARM_SECONDS = 1.0  # wall time, for at most WARM_UNITS units
WARM_UNITS = 150
EDIT_FACTOR, EDIT_SECONDS = 1.2, 1.0  # wall time, of the file's own parse
GROWTH = 1.25  # CPU time per unit, relative to the smallest project

Bar = namedtuple("Bar", "what value limit")


def met(bar):
    return bar.value <= bar.limit


class Row:
    """Two series of costs (the second may be missing) and the bars."""

    def __init__(self, name, ours, baseline, bars=()):
        self.name = name
        self.ours, self.baseline = typical(ours), None
        self.ratios = {}
        if baseline:
            self.baseline = typical(baseline)
            self.ratios = {f: ratio(ours, baseline, f)
                           for f in ("wall", "cpu", "memory")}
        self.repetitions = len(ours)
        self.bars = [b(self) for b in bars]


def cpu_bar(limit):
    return lambda row: Bar("CPU ratio", row.ratios["cpu"].median, limit)


def memory_bar(row):
    return Bar("memory ratio", row.ratios["memory"].median, MEMORY)


def warm_bar(row):
    return Bar("wall s", row.ours.wall, WARM_SECONDS)


def edit_bar(row):
    return Bar("wall s", row.ours.wall,
               EDIT_FACTOR * row.baseline.wall + EDIT_SECONDS)


class Growth:
    """Whether the cost of one unit stays constant as a project grows."""

    def __init__(self, name, totals):
        self.name = name
        self.steps = growth(totals)
        self.bars = [Bar(f"CPU per unit at {n}", r, GROWTH)
                     for n, _, r in self.steps[1:]]


def say_bars(bars):
    return "; ".join(f"{b.what} {b.value:.2f} <= {b.limit:.2f}: "
                     + ("met" if met(b) else "**not met**") for b in bars)


def table(rows):
    def pair(row, field, show):
        yield show(getattr(row.ours, field))
        yield show(getattr(row.baseline, field)) if row.baseline else "-"
        if row.baseline:
            r = row.ratios[field]
            yield f"{r.median:.2f} ({r.least:.2f} to {r.most:.2f})"
        else:
            yield "-"

    def seconds(value):
        return f"{value:.2f} s"

    yield ("| run | n | wall | baseline | ratio (range) | CPU | baseline "
           "| ratio (range) | peak memory | baseline | ratio (range) | bars |")
    yield "| --- | --: |" + " --: |" * 9 + " --- |"
    for row in rows:
        cells = [row.name, str(row.repetitions)]
        for field in ("wall", "cpu"):
            cells += pair(row, field, seconds)
        cells += pair(row, "memory", lambda v: f"{v / MIB:.0f} MiB")
        yield "| " + " | ".join(cells + [say_bars(row.bars)]) + " |"


def growth_table(growths):
    yield "| growth | units | CPU per unit | of the smallest | bars |"
    yield "| --- | --: | --: | --: | --- |"
    for g in growths:
        for (n, each, r), bar in zip(g.steps, [None] + g.bars):
            yield (f"| {g.name} | {n} | {each * 1000:.1f} ms | {r:.2f} | "
                   + (say_bars([bar]) if bar else "") + " |")


def machine(tools):
    """The environment that figures depend on."""
    def first_line(*command):
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError:
            return None
        return done.stdout.strip().splitlines()[0] if done.stdout.strip() else None

    model = platform.processor()
    try:
        with open("/proc/cpuinfo") as f:
            model = next((line.split(":", 1)[1].strip() for line in f
                          if line.startswith("model name")), model)
    except OSError:
        pass
    here = os.path.dirname(os.path.abspath(__file__))
    return {
        "cpu": model,
        "cores": len(os.sched_getaffinity(0))
                 if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": [round(x, 2) for x in os.getloadavg()],
        "system": platform.platform(),
        "python": platform.python_version(),
        "commit": first_line("git", "-c", "safe.directory=*", "-C", here,
                             "describe", "--always", "--dirty"),
        "versions": {name: first_line(path, "--version")
                     for name, path in tools.items()},
    }


def as_json(where, rows, growths, notes):
    def bars(item):
        return [dict(b._asdict(), met=met(b)) for b in item.bars]

    return {
        "machine": where,
        "notes": notes,
        "rows": [{
            "run": r.name,
            "repetitions": r.repetitions,
            "ours": r.ours._asdict(),
            "baseline": r.baseline._asdict() if r.baseline else None,
            "ratios": {f: v._asdict() for f, v in r.ratios.items()},
            "bars": bars(r),
        } for r in rows],
        "growth": [{
            "run": g.name,
            "steps": [{"units": n, "cpu_per_unit": each, "of_smallest": r}
                      for n, each, r in g.steps],
            "bars": bars(g),
        } for g in growths],
    }


def report(where, rows, growths, notes, json_file=None):
    """Prints everything; returns whether each bar is met."""
    print(f"{where['cpu']}, {where['cores']} cores, load {where['load'][0]}, "
          f"commit {where['commit']}\n")
    if rows:
        print(*table(rows), sep="\n")
    if growths:
        print("", *growth_table(growths), sep="\n")
    for note in notes:
        print("\nnote:", note)
    if json_file:
        with open(json_file, "w") as f:
            json.dump(as_json(where, rows, growths, notes), f, indent=1)
            f.write("\n")
    sys.stdout.flush()
    return all(met(b) for item in [*rows, *growths] for b in item.bars)
