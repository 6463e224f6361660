#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/performance.md from figures that bench.py has written.

  page.py --add FILE...   adds the rows of `bench.py --json FILE` to figures.json
  page.py                 prints the page

A row replaces the one with the same name. Rows keep the machine, the versions,
and the date of their measurement.
"""

import argparse
import json
import os
import sys
import textwrap

from tools import INPUTS

FIGURES = os.path.join(INPUTS, "figures.json")
MIB = 1024 * 1024

TOP = """\
# Performance

This page compares the cost of an analysis with the cost of parsing the same code with Clang: `clang++ -fsyntax-only`
with the same arguments for each unit, on the same machine, alternating with the analysis. CPU time is the total of all
processes; memory is the peak of the largest process. Each ratio is the median of the ratios of adjacent runs. A ratio
below 1 means that the analysis costs less than the parse.

This page is generated: `test/bench/page.py` writes it from `test/bench/Inputs/figures.json`.

"""

TERMS = """
*Cold* is a run without a cache, and *warm* is a second run; the baseline of both is a parse of all units. *One edited*
is a run after a comment was added to one source; its baseline is a parse of that source. *Plugin* compares clang-tidy
with all checks of the plugin to clang-tidy with one trivial check.

## Reasons for the low cost

- [Headers that several units include first](whole-programs.md#shared-headers) are parsed once, and later runs reuse the result. A unit loads only the parts that it uses.
- Bodies of device functions and of library functions are not parsed: the [catalogue](catalogue.md) describes the behavior of libraries.
- Results of unchanged units, and findings of captures that reach no changed function, come from [the cache](whole-programs.md#the-cache).

A project whose units begin with different headers, or with macros before the first include, benefits only from the skipped bodies.

## Reproduce

"""


def cell(figure, field):
    if not figure:
        return "-"
    value = figure[field]
    return f"{value / MIB:.0f} MiB" if field == "memory" else f"{value:.2f} s"


def busy(row):
    """True if other programs ran: wall time is then meaningless."""
    return row["machine"]["load"][0] > 2 * row["machine"]["cores"]


def table(rows):
    yield ("| run | runs | CPU time | Clang | ratio | wall time | ratio "
           "| memory | ratio |")
    yield "| --- |" + " --: |" * 8
    for row in rows:
        def ratio(field, row=row):
            if not row["ratios"] or field == "wall" and busy(row):
                return "-"
            return f"{row['ratios'][field]['median']:.2f}"
        yield "| " + " | ".join([
            row["run"], str(row["repetitions"]), cell(row["ours"], "cpu"),
            cell(row["baseline"], "cpu"), f"**{ratio('cpu')}**",
            "-" if busy(row) else cell(row["ours"], "wall"), ratio("wall"),
            cell(row["ours"], "memory"), ratio("memory")]) + " |"


def machines(rows):
    """The distinct environments, each with its rows' names."""
    found = {}
    for row in rows:
        m = row["machine"]
        versions = "; ".join(sorted(set(m["versions"].values())))
        versions = versions.replace("Debian clang version", "Debian Clang")
        system = m["system"].split("-")[0]
        text = f"{m['cpu']}, {m['cores']} cores, {system}; {versions}"
        found.setdefault(text, []).append(row)
    for text, of in found.items():
        yield textwrap.fill(f"The figures were measured on this system: {text}.", 119,
                            break_on_hyphens=False)
        if any(map(busy, of)):
            yield ("Other programs ran during some of these runs, which also increases CPU "
                   "times; wall times are\nomitted for these runs.")


def page(rows):
    lines = [*table(rows), "", *machines(rows)]
    commands = sorted({row["command"] for row in rows})
    return (TOP + "\n".join(lines) + "\n" + TERMS
            + "\n".join("    " + c for c in commands)
            + "\n\n`test/bench/README.md` explains the options. PyTorch's headers come from its unpacked wheel.\n")


def add(rows, files, command):
    for file in files:
        with open(file) as f:
            given = json.load(f)
        for row in given["rows"]:
            row = {k: row[k] for k in ("run", "repetitions", "ours", "baseline",
                                       "ratios")}
            row["machine"], row["command"] = given["machine"], command
            same = [i for i, r in enumerate(rows) if r["run"] == row["run"]]
            if same:
                rows[same[0]] = row
            else:
                rows.append(row)


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--figures", default=FIGURES)
    p.add_argument("--add", nargs="+", metavar="FILE")
    p.add_argument("--command", help="the command that wrote these files")
    o = p.parse_args()
    rows = []
    if os.path.exists(o.figures):
        with open(o.figures) as f:
            rows = json.load(f)
    if o.add:
        if not o.command:
            p.error("--add needs --command")
        add(rows, o.add, o.command)
        with open(o.figures, "w") as f:
            json.dump(rows, f, indent=1)
            f.write("\n")
    else:
        sys.stdout.write(page(rows))


if __name__ == "__main__":
    main()
