#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates the catalogue's entries for PyTorch's operators from the measurements.

usage: operators.py [--check] [--measured FOLDER] [--output FILE]

Reads checks/catalogue/measured/torch/*.json and writes
checks/catalogue/data/aten.json; with --check, it only compares. words.json
describes the behavior of refused operators and the arguments that determine it;
explanations.json contains reasons for rows that no condition explains. A row that
contradicts the entries and has no reason is an error.
"""

import argparse
import collections
import fnmatch
import glob
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CATALOGUE = os.path.join(HERE, "..", "..", "..", "checks", "catalogue")
STREAMS = ["origin", "joined", "none"]
REFUSED, CAPTURED = 900, "captured"
ESCAPES = set()  # operators that run on the host immediately, according to words.json


def read(path):
    with open(path) as file:
        return json.load(file)


def load_measured(folder):
    """Every row of every result, with its environment."""
    rows = []
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        result = read(path)
        source = (f"{result['gpu'].split()[1]}, driver {result['driver']}, CUDA "
                  f"{result['toolkit']}, PyTorch "
                  f"{result['pytorch'].split('+')[0].rsplit('.', 1)[0]}")
        rows += [{**row, "source": source} for row in result["rows"]]
    return rows


def result_of(row):
    if row["op"] in ESCAPES and row["capture"] == "ok":
        return "escapes"
    return CAPTURED if row["capture"] == "ok" else row["code"] or REFUSED


def explained(row, explanations, about):
    """The reason that explains a row, or None."""
    for each in explanations[about]:
        if (any(fnmatch.fnmatchcase(row["op"], "aten::" + op)
                for op in each["ops"])
                and fnmatch.fnmatchcase(row["overload"], each.get("overload", "*"))
                and fnmatch.fnmatchcase(row.get("form", ""), each.get("form", "*"))
                and each.get("capture", row["capture"]) == row["capture"]
                and set(each.get("when", [])) <= set(row["when"])):
            each["used"] = True
            return each["reason"]
    return None


def holds(row, conditions):
    return set(row.get("when", [])) <= set(conditions)


def evaluate(rows, conditions):
    """The outcome according to the rows, which are tried in order."""
    return next((row["modes"] for row in rows if holds(row, conditions)), None)


def in_order(rows):
    return sorted(rows, key=lambda r: (-len(r["when"]), r["when"]))


def outcome_of(op, rows, problems):
    """The smallest set of rows that is equivalent to the measurements."""
    groups = collections.defaultdict(set)
    for row in rows:
        groups[tuple(sorted(row["when"]))].add(result_of(row))
    found = {}
    for when, results in groups.items():
        refused = results - {CAPTURED}
        if len(refused) > 1:
            problems.append(f"{op} {when}: refused with {sorted(refused)}")
        if refused and CAPTURED in results:
            found[tuple(sorted({*when, "configured"}))] = min(refused)
            found[when] = CAPTURED
        else:
            found[when] = min(refused) if refused else CAPTURED
    if () not in found:
        results = set(found.values())
        found[()] = results.pop() if len(results) == 1 else CAPTURED
    kept = [{"when": [], "modes": found[()]}]
    for when in sorted(found, key=lambda w: (len(w), w)):
        if when and evaluate(in_order(kept), when) != found[when]:
            kept.append({"when": list(when), "modes": found[when]})
    kept = in_order(kept)
    for when, result in found.items():
        if evaluate(kept, when) != result:
            problems.append(f"{op} {when}: {result} does not match {kept}")
    return kept


def written(rows):
    """In the catalogue's format."""
    result = []
    for row in rows:
        made = {}
        if row["when"]:
            made["when"] = row["when"] if len(row["when"]) > 1 else row["when"][0]
        result.append({**made, "stream": STREAMS, "modes": row["modes"]})
    return result


def kind_of(op, words):
    """The description of a refused operator: that of the first matching pattern."""
    for each in words["refused"]:
        if any(fnmatch.fnmatchcase(op, "aten::" + name) for name in each["names"]):
            each["used"] = True
            return each
    return None


def evidence_of(op, rows, itself):
    sources = collections.OrderedDict((row["source"], None) for row in rows)
    text = f"{op} under at::cuda::CUDAGraph"
    if itself:
        text += "; libtorch itself refuses the call, without a CUDA error"
    return [{"kind": "measured", "source": f"{source}: {text}"}
            for source in sources]


def entry_of(op, rows, words, problems):
    kept = outcome_of(op, rows, problems)
    refused = [row for row in rows if row["capture"] == "refused"]
    itself = bool(refused) and all(row["code"] is None for row in refused)
    entry = {"name": op, "effect": "tensor-work", "action": "works on tensors"}
    if any(row["modes"] != CAPTURED for row in kept):
        kind = kind_of(op, words)
        if kind is None:
            problems.append(f"{op}: refused, and words.json has no text for it")
            return None
        entry = {"name": op, "effect": kind["effect"]}
        if op in words["args"]:
            entry["args"] = words["args"][op]
        entry["outcome"] = {"rows": written(kept)}
        if op in words["device-value"]:
            entry["returns"] = "device-value"
        entry["action"] = kind["action"]
        entry["advice"] = kind["advice"]
    entry["evidence"] = evidence_of(op, rows, itself)
    return entry


def usable(rows, explanations, problems):
    """The rows about a call in general, by the name of the operator;
    forms that write into given results have a separate name if they
    differ."""
    groups = collections.defaultdict(list)
    for row in rows:
        if not row["op"].startswith("aten::"):
            continue
        if row["replay"] == "differs" and not explained(row, explanations,
                                                        "differs"):
            problems.append(f"{row['op']}.{row['overload']} {row.get('form', '')}"
                            f" {row['when']}: the replay differs")
        if explained(row, explanations, "unpredicted"):
            continue
        groups[row["op"]].append(row)
    for op in sorted(groups):
        outs = [r for r in groups[op] if is_out(r["overload"])]
        others = [r for r in groups[op] if not is_out(r["overload"])]
        results = {tuple(r["when"]): {result_of(x) for x in others
                                      if x["when"] == r["when"]} for r in outs}
        if others and any(result_of(r) not in results[tuple(r["when"])]
                          for r in outs if results[tuple(r["when"])]):
            groups[op], groups[op + "_out"] = others, outs
    return groups


def is_out(overload):
    return overload == "out" or overload.endswith("_out") or "out" in overload.split("_")


def generate(folder):
    words = read(os.path.join(HERE, "words.json"))
    explanations = read(os.path.join(HERE, "explanations.json"))
    ESCAPES.update(words["escapes"])
    problems, entries = [], []
    rows = load_measured(folder)
    groups = usable(rows, explanations, problems)
    for op in sorted(groups):
        entry = entry_of(op, groups[op], words, problems)
        if entry:
            entries.append(entry)
            problems += disagreements(entry, groups[op], explanations)
    for about in ("differs", "unpredicted", "configured"):
        for each in explanations[about]:
            if not each.get("used"):
                problems.append(f"explanations.json: {about}: {each['ops']} "
                                "explains nothing")
    for each in words["refused"]:
        if not each.get("used"):
            problems.append(f"words.json: {each['names'][0]} ...: not needed")
    return entries, problems


def disagreements(entry, rows, explanations):
    """Rows whose outcome the entry does not contain. 'configured' may distinguish a
    refused row, if there is a reason."""
    table = entry.get("outcome", {"rows": [{"modes": CAPTURED}]})["rows"]
    table = [{**row, "when": [row["when"]] if isinstance(row.get("when"), str)
              else row.get("when", [])} for row in table]
    for row in rows:
        if evaluate(table, row["when"]) == result_of(row):
            continue
        configured = evaluate(table, row["when"] + ["configured"])
        if configured != result_of(row):
            yield f"{row['op']}.{row['overload']} {row['when']}: measured " \
                  f"{result_of(row)}, the entry predicts {configured}"
        elif not explained(row, explanations, "configured"):
            yield f"{row['op']}.{row['overload']} {row.get('form', '')} " \
                  f"{row['when']}: {result_of(row)} without a reason"


def text_of(entries):
    """One line per entry, so that a difference is readable."""
    lines = ",\n".join("    " + json.dumps(entry) for entry in entries)
    return ('{\n  "$schema": "../schema.json",\n  "library": "libtorch",\n'
            '  "entries": [\n' + lines + "\n  ]\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--measured",
                        default=os.path.join(CATALOGUE, "measured", "torch"))
    parser.add_argument("--output",
                        default=os.path.join(CATALOGUE, "data", "aten.json"))
    options = parser.parse_args()
    entries, problems = generate(options.measured)
    for problem in problems:
        print(f"operators.py: error: {problem}", file=sys.stderr)
    if problems:
        sys.exit(1)
    text = text_of(entries)
    if options.check:
        with open(options.output) as file:
            if file.read() != text:
                sys.exit("operators.py: error: aten.json does not match "
                         "measured/torch; run operators.py")
        return
    with open(options.output, "w") as file:
        file.write(text)
    print(f"{len(entries)} operators")


if __name__ == "__main__":
    main()
