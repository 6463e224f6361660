#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates the catalogue's outcomes from the measurements of capture_matrix.

usage: generate.py [--check] [--measured FOLDER]

Reads checks/catalogue/measured/*.json and writes
checks/catalogue/data/outcomes.json; with --check, it only compares. If forms of a
call differ, forms.json contains the condition that distinguishes them; an
unexplained difference is an error.
"""

import argparse
import collections
import fnmatch
import glob
import json
import os
import sys

import cases

HERE = os.path.dirname(os.path.abspath(__file__))
CATALOGUE = os.path.join(HERE, "..", "..", "checks", "catalogue")
STREAMS = ["origin", "joined", "other", "legacy", "per-thread", "none"]
KINDS = ["blocking", "non-blocking"]
MODES = ["global", "thread_local", "relaxed"]

# Work on the device: success without a node means that it escaped the graph.
WORK = {"copy-sync", "copy-async", "set-sync", "set-async", "launch",
        "host-function", "stream-callback", "stream-work", "alloc-async",
        "free-async", "graph-launch", "library-call", "device-read"}
# Part of the capture, without a node.
WITHOUT_NODE = {"event-record", "stream-wait-event"}
NOT_READY = 600


def load_entries():
    """The entries of the hand-written data, by name."""
    entries = {}
    for path in sorted(glob.glob(os.path.join(CATALOGUE, "data", "*.json"))):
        with open(path) as file:
            for entry in json.load(file).get("entries", []):
                entries[entry["name"]] = entry
    return entries


def load_measured(folder):
    """Every usable row of every result, with its file."""
    rows = []
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path) as file:
            result = json.load(file)
        origin = (f"{result['gpu'].replace('NVIDIA ', '')}, driver "
                  f"{result['driver']}, CUDA {result['toolkit']} "
                  f"({os.path.basename(path)})")
        for row in result["rows"]:
            if "setup" in row or row["returned"] is None:
                continue
            row["other-thread"] = result["thread"] == "other"
            row["source"] = origin
            rows.append(row)
    return rows


def cell(row, entry, idle):
    """The outcome in one row, as the catalogue spells it. idle: the same call adds
    nothing to the graph on the capturing stream either."""
    code = row.get("cuda_code") or row["returned"]
    if code and code != NOT_READY:
        return f"{code} active" if row["status_after"] == "active" else code
    inside = row["stream"] in ("origin", "joined")
    if row["nodes_added"] and (inside or entry["effect"] in WORK):
        return "captured"
    if entry["effect"] in WITHOUT_NODE:
        return "captured" if inside else "succeeds"
    # A library call without a stream computes on the host.
    work = (entry["effect"] in WORK and not inside and not idle and not
            (row["stream"] == "none" and entry["effect"] == "library-call"))
    return "escapes" if work else "succeeds"


def table_of(rows, entry, problems, call):
    """Maps each stream and kind in the rows of one condition to its cells by mode."""
    seen = collections.defaultdict(dict)
    idle = {row.get("form", "") for row in rows
            if row["stream"] == "origin" and row["nodes_added"] == 0
            and not row["returned"] and not row.get("cuda_code")}
    for row in rows:
        stream = row["stream"]
        if stream.startswith("other-"):
            stream = "other"
        # One blocking stream in the capture makes the capture blocking.
        kind = "blocking" if row["capturing"] == "mixed" else row["capturing"]
        where = (stream, kind, row["mode"])
        shown = cell(row, entry, row.get("form", "") in idle)
        seen[where].setdefault(shown, []).append(
            f"{row.get('form', '')!r} {row['capturing']}/{row['stream']}")
    table = {}
    for (stream, kind, mode), found in seen.items():
        if len(found) > 1:
            problems.append(
                f"{call}: {stream}, {kind}, {mode}: " + "; ".join(
                    f"{value} ({', '.join(sorted(set(where))[:3])})"
                    for value, where in found.items()))
        cells = table.setdefault((stream, kind), [None] * 3)
        cells[MODES.index(mode)] = next(iter(found))
    return {where: cells for where, cells in table.items() if None not in cells}


def add_twin(rows, twin, conditions):
    """Rows for conditions that were measured with a twin from the other API."""
    return [row for row in twin
            if row.get("when") in conditions] + rows


def compress(table, when):
    """The smallest set of rows that is equivalent to the table."""
    patterns = collections.OrderedDict()
    for stream in STREAMS:
        kinds = tuple(tuple(table[stream, kind]) if (stream, kind) in table
                      else None for kind in KINDS)
        if any(kinds):
            patterns.setdefault(kinds, []).append(stream)
    rows = []
    for kinds, streams in patterns.items():
        groups = ([(None, kinds[0])] if kinds[0] == kinds[1] else
                  [(kind, cells) for kind, cells in zip(KINDS, kinds) if cells])
        for kind, cells in groups:
            row = {}
            if when:
                row["when"] = list(when) if len(when) > 1 else when[0]
            row["stream"] = streams if len(streams) > 1 else streams[0]
            if kind:
                row["capturing"] = kind
            row["modes"] = (cells[0] if len(set(cells)) == 1 else list(cells))
            rows.append(row)
    return rows


def conditions_of(call, form, forms):
    """The conditions that a form represents; None: it shows nothing about the call
    alone."""
    unpredicted = forms["unpredicted"].get(call, {})
    if form in unpredicted or "*" in unpredicted:
        return None
    by_call = forms["calls"].get(call, {})
    if form in by_call:
        value = by_call[form]
    else:
        value = next((value for pattern, value in forms["forms"].items()
                      if fnmatch.fnmatchcase(form, pattern)), [])
    return value if value is None else tuple(
        [value] if isinstance(value, str) else value)


def outcomes_of(call, rows, entry, forms, situations, problems):
    """The catalogue's rows for one call."""
    groups = collections.defaultdict(list)
    for row in rows:
        form = row.get("form", "")
        known = (call, form) in forms["explicit"]
        if (call, form) in situations and not known:
            continue
        when = conditions_of(call, form, forms)
        if when is None:
            continue
        groups[(("other-thread",) if row["other-thread"] else ()) + when].append(
            row)
    tables = {when: table_of(group, entry, problems, call)
              for when, group in groups.items()}
    result = []
    # Rows with more conditions come first; redundant ones are omitted.
    for when in sorted(tables, key=lambda w: ("external" not in w, -len(w), w)):
        table = tables[when]
        if when and () in tables:
            rest = tuple(c for c in when if c != "other-thread")
            base = dict(tables[()])
            if when != rest and rest in tables:
                base.update(tables[rest])
            table = {where: cells for where, cells in table.items()
                     if base.get(where) != cells}
        result += compress(table, when)
    return result


def flat(cells):
    return cells if isinstance(cells, list) else [cells]


def evidence_of(call, rows):
    """One line for each result that has rows of the call."""
    sources = collections.OrderedDict()
    for row in rows:
        sources.setdefault(row["source"], 0)
        sources[row["source"]] += 1
    return [{"kind": "measured", "source": f"{source}: {call}, {count} rows"}
            for source, count in sources.items()]


def generate(folder):
    entries = load_entries()
    with open(os.path.join(HERE, "forms.json")) as file:
        forms = json.load(file)
    forms["explicit"] = {(call, form) for call, by_form in forms["calls"].items()
                         for form in by_form}
    situations = {(c.call, c.form) for c in cases.all_cases() if c.situation}
    by_call = collections.defaultdict(list)
    for row in load_measured(folder):
        by_call[row["call"]].append(row)
    problems, outcomes = [], {}
    for call in sorted(by_call):
        if call not in entries:
            problems.append(f"{call}: measured, but the catalogue has no entry")
            continue
        rows = outcomes_of(call, by_call[call], entries[call], forms,
                           situations, problems)
        for twin, conditions in forms["twins"].get(call, {}).items():
            rows = add_twin(rows, outcomes_of(twin, by_call[twin],
                                              entries[twin], forms, situations,
                                              problems), conditions)
        if entries[call]["effect"] == "neutral":
            # The analysis does not examine such calls.
            if any(value != "succeeds" for row in rows
                   for value in flat(row["modes"])):
                problems.append(f"{call}: its effect is 'neutral', but {rows}")
            continue
        if rows:
            evidence = evidence_of(call, by_call[call])
            for twin in forms["twins"].get(call, {}):
                evidence += evidence_of(twin, by_call[twin])
            outcomes[call] = {"rows": rows, "evidence": evidence}
    return outcomes, problems


def text_of(outcomes):
    """One line per call, so that a difference is readable."""
    lines = [f"    {json.dumps(call)}: {json.dumps(value)}"
             for call, value in outcomes.items()]
    return ('{\n  "$schema": "../schema.json",\n'
            '  "library": "measured by runtime-probe/conformance",\n'
            '  "outcomes": {\n' + ",\n".join(lines) + "\n  }\n}\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--measured",
                        default=os.path.join(CATALOGUE, "measured"))
    options = parser.parse_args()
    outcomes, problems = generate(options.measured)
    for problem in problems:
        print(f"generate.py: error: {problem}", file=sys.stderr)
    if problems:
        sys.exit(1)
    path = os.path.join(CATALOGUE, "data", "outcomes.json")
    text = text_of(outcomes)
    if options.check:
        with open(path) as file:
            if file.read() != text:
                sys.exit(f"generate.py: error: {path} does not match "
                         f"{options.measured}; run generate.py")
        return
    with open(path, "w") as file:
        file.write(text)
    print(f"{len(outcomes)} calls")


if __name__ == "__main__":
    main()
