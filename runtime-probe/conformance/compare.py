#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the catalogue with what capture_matrix measured.

usage: compare.py RESULT.json [DATA_FOLDER]

Prints each cell in which the two disagree, the calls that were measured and
have no outcome, and the counts. Exit status 1 if there is a disagreement that
no entry of FORMS explains.
"""

import collections
import glob
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "checks", "catalogue", "data")

# Work on the device: success without a node means that it escaped the graph.
WORK = {"copy-sync", "copy-async", "set-sync", "set-async", "launch",
        "host-function", "stream-callback", "stream-work", "alloc-async",
        "free-async", "graph-launch", "library-call", "device-read"}
# Part of the capture without a node of their own.
WITHOUT_NODE = {"event-record", "stream-wait-event"}
NOT_READY = 600

# Forms of a call that the catalogue does not tell apart, and why they differ.
FORMS = {
    "no bytes": "nothing to copy, nothing to refuse",
    "thread in relaxed mode": "the thread's mode counts, not the capture's",
    "memory that the capture allocated": "owner of the memory",
    "memory of cudaMallocAsync before the capture": "owner of the memory",
    "memory of cudaMalloc": "owner of the memory",
    "memory of cudaMallocAsync outside, in between": "owner of the memory",
    "external": "flags",
    "external wait": "flags",
    "to upload": "flags",
    "result on the device": "pointer mode of the handle",
    "of another device": "the device does not capture",
    "captured event": "the event decides",
    "Philox, first use": "lazy initialisation",
    "XORWOW, first use": "lazy initialisation",
}
# The first plan of a process allocates; the catalogue describes that one.
CALL_FORMS = {("cufftPlan1d", ""): "lazy initialisation"}


def load_catalogue(folder):
    files = {name: json.load(open(name))
             for name in sorted(glob.glob(os.path.join(folder, "*.json")))}
    shared = {}
    for data in files.values():
        if not data.get("entries"):
            shared.update(data.get("profiles", {}))
    entries = {}
    for data in files.values():
        profiles = {**shared, **data.get("profiles", {})}
        for entry in data.get("entries", []):
            outcome = entry.get("outcome")
            if isinstance(outcome, str):
                outcome = profiles[outcome]
            entries[entry["name"]] = (entry, (outcome or {}).get("rows", []))
    return entries


def predicted(rows, stream, capturing, mode):
    """The catalogue's cell; None where it has no row."""
    for row in rows:
        streams = row.get("stream", stream)
        if stream not in ([streams] if isinstance(streams, str) else streams):
            continue
        if row.get("capturing", capturing) != capturing:
            continue
        if "modes" not in row:
            return row[mode]
        cells = row["modes"]
        index = ("global", "thread_local", "relaxed").index(mode)
        return cells[index] if isinstance(cells, list) else cells
    return None


def situation(row):
    stream = row["stream"]
    if stream.startswith("other-"):
        stream = "other"
    # One blocking stream in the capture makes it a blocking one.
    kind = "blocking" if row["capturing"] == "mixed" else row["capturing"]
    return stream, kind


def measured(row, entry, stream):
    """The cell that the row shows."""
    if row.get("cuda_code"):
        return row["cuda_code"]
    if row["returned"] not in (0, NOT_READY):
        return row["returned"]
    if row["nodes_added"]:
        return "captured"
    inside = stream in ("origin", "joined")
    if entry["effect"] in WITHOUT_NODE:
        return "captured" if inside else "succeeds"
    # Without bytes there is no node and no work.
    return "escapes" if entry["effect"] in WORK else "succeeds"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    entries = load_catalogue(sys.argv[2] if len(sys.argv) == 3 else DATA)
    with open(sys.argv[1]) as file:
        result = json.load(file)
    counts = collections.Counter()
    wrong, explained = collections.defaultdict(list), collections.Counter()
    missing, unknown = set(), set()
    for row in result["rows"]:
        call, form = row["call"], row.get("form", "")
        if "setup" in row or row["returned"] is None:
            counts["not measured"] += 1
            continue
        if call not in entries:
            unknown.add(call)
            continue
        entry, rows = entries[call]
        if entry["effect"] == "neutral":
            rows = [{"modes": "succeeds"}]
        if not rows:
            missing.add(call)
            continue
        stream, kind = situation(row)
        cell = predicted(rows, stream, kind, row["mode"])
        seen = measured(row, entry, stream)
        if cell is None:
            counts["no row"] += 1
        elif cell == seen:
            counts["agree"] += 1
        elif form in FORMS or (call, form) in CALL_FORMS:
            counts["the form decides"] += 1
            explained[call, form,
                      FORMS.get(form) or CALL_FORMS[call, form]] += 1
        else:
            counts["disagree"] += 1
            where = f"{row['capturing']}/{row['stream']}"
            wrong[call, form, cell, seen].append(f"{where}/{row['mode']}")
    for (call, form, cell, seen), where in wrong.items():
        print(f"{call}{' (' + form + ')' if form else ''}: catalogue {cell}, "
              f"measured {seen}: {', '.join(where)}")
    for (call, form, why), number in explained.items():
        print(f"note: {call} ({form or 'plain'}) differs in {number} cells: {why}")
    for title, names in (("no outcome", missing), ("no entry", unknown)):
        if names:
            print(f"{title}: {', '.join(sorted(names))}")
    print(", ".join(f"{number} {what}" for what, number in counts.items()))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
