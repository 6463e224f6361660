#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows the changes between two results of capture_matrix.

usage: compare.py OLD.json NEW.json

For a new driver or another machine: differences of the headers, added and removed calls
and forms, and each row whose result differs, one per line. Exit status 1 if anything
differs, 2 if a file cannot be read.
"""

import collections
import json
import sys

# Fields of a row that describe CUDA, and fields that describe a failed attempt.
FIELDS = ["returned", "cuda_code", "status_after", "end", "nodes_added",
          "setup", "signal", "timeout"]
STREAMS = ["origin", "joined", "other-blocking", "other-nonblocking", "legacy",
           "per-thread", "none"]
KINDS = ["blocking", "non-blocking", "mixed"]
MODES = ["global", "thread_local", "relaxed"]
NOT_READY = 600


def fail(message):
    print(f"compare.py: error: {message}", file=sys.stderr)
    sys.exit(2)


def read(path):
    """The header and {(call, form): {(stream, kind, mode): row}}."""
    try:
        with open(path) as file:
            result = json.load(file)
    except OSError as error:
        fail(f"{path}: {error.strerror}; name a result of capture_matrix")
    except ValueError as error:
        fail(f"{path}: invalid JSON: {error}")
    if not isinstance(result, dict) or not isinstance(result.get("rows"), list):
        fail(f"{path}: not a result of capture_matrix: it has no rows")
    calls = collections.defaultdict(dict)
    for number, row in enumerate(result.pop("rows"), 1):
        try:
            where = row["stream"], row["capturing"], row["mode"]
            calls[row["call"], row.get("form", "")][where] = row
        except (AttributeError, KeyError, TypeError) as error:
            fail(f"{path}: row {number}: not a row of capture_matrix: {error}")
    return result, calls


def value(row, field):
    """The value of a field for comparison."""
    found = row.get(field)
    if field == "cuda_code":
        return found or 0  # absent: not a library
    ready = row["call"] in ("cudaEventQuery", "cuEventQuery",
                            "cudaStreamQuery", "cuStreamQuery")
    if field == "returned" and found == NOT_READY and ready:
        return 0  # depends on timing
    return found


def changes(old, new):
    """The differences between two rows: "returned 900 -> 0, end 901 -> 0"."""
    def spelled(found):
        return "null" if found is None else str(found)
    return ", ".join(
        f"{field} {spelled(value(old, field))} -> {spelled(value(new, field))}"
        for field in FIELDS if value(old, field) != value(new, field))


def ordered(names, order):
    return sorted(names, key=lambda name: (
        order.index(name) if name in order else len(order), name))


def situations(where, everywhere):
    """The triples of stream, kind, and mode, abbreviated."""
    if len(where) > 1 and set(where) == set(everywhere):
        return "everywhere"
    modes = collections.defaultdict(list)
    for stream, kind, mode in where:
        modes[stream, kind].append(mode)
    kinds = collections.defaultdict(list)
    for (stream, kind), found in modes.items():
        kinds[stream, tuple(ordered(found, MODES))].append(kind)
    streams = collections.defaultdict(list)
    for (stream, found), which in kinds.items():
        streams[tuple(ordered(which, KINDS)), found].append(stream)
    parts = []
    for (which, found), names in streams.items():
        text = ["+".join(ordered(names, STREAMS)), "+".join(which)]
        if len(found) < len(MODES):
            text.append("+".join(found))
        parts.append("/".join(text))
    return ", ".join(parts)


def named(call, form):
    return f"{call} ({form})" if form else call


def headers(old, new):
    for field in ordered(old.keys() | new.keys(),
                         ["toolkit", "driver_api", "driver", "gpu", "thread"]):
        # Two runs never have the same date.
        if field != "date" and old.get(field) != new.get(field):
            yield f"{field}: {old.get(field, 'absent')} -> {new.get(field, 'absent')}"


def compare(old, new):
    """The lines of the report, and the counts in the last line."""
    counts = collections.Counter()
    lines = []
    old_calls, new_calls = ({call for call, _ in each} for each in (old, new))
    for verb, missing, whole in (("gone", old.keys() - new.keys(), new_calls),
                                 ("new", new.keys() - old.keys(), old_calls)):
        calls = sorted({call for call, _ in missing} - whole)
        for call in calls:
            counts[f"{verb} calls"] += 1
            lines.append(f"{verb}: {call}")
        for call, form in sorted(missing):
            if call in whole:
                counts[f"{verb} forms"] += 1
                lines.append(f"{verb}: {call} ({form or 'the plain form'})")
    for call, form in sorted(old.keys() & new.keys()):
        before, after = old[call, form], new[call, form]
        found = collections.OrderedDict()
        for where in before.keys() | after.keys():
            if where not in after:
                what = "gone"
            elif where not in before:
                what = "new"
            else:
                what = changes(before[where], after[where])
                counts["rows compared"] += 1
            if what:
                counts["rows differ"] += 1
                found.setdefault(what, []).append(where)
        for what in sorted(found):
            lines.append(f"{named(call, form)}: "
                         f"{situations(sorted(found[what]), before)}: {what}")
    return lines, counts


def main():
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    (old_header, old), (new_header, new) = map(read, sys.argv[1:])
    header = list(headers(old_header, new_header))
    lines, counts = compare(old, new)
    print(*header, *lines, sep="\n", end="\n" if header + lines else "")
    print(", ".join(f"{counts[what]} {what}" for what in (
        "rows compared", "rows differ", "new calls", "gone calls", "new forms",
        "gone forms")))
    sys.exit(bool(header or lines))


if __name__ == "__main__":
    main()
