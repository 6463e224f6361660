#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The entries of the catalogue and their outcomes in words, for reference.py."""

import collections
import glob
import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
CATALOGUE = os.path.join(ROOT, "checks", "catalogue")

STREAMS = ["origin", "joined", "other", "legacy", "per-thread"]
KINDS = ["blocking", "non-blocking"]
MODES = ["global", "thread_local", "relaxed"]

# Relations that share a description, the widest first: the required relations,
# the optional ones, and the words for a call that names a stream and for one
# that names an event.
PHRASES = [
    ("origin joined other legacy", "per-thread", "any stream", "any event"),
    ("origin joined", "", "a capturing stream", "an event of the capture"),
    ("origin", "", "the capturing stream", "an event recorded on it"),
    ("joined", "", "a stream joined to it", "an event of a joined stream"),
    ("other legacy", "per-thread", "any other stream", "any other event"),
    ("other", "per-thread", "another stream", "an event of another stream"),
    ("legacy", "", "the legacy stream", "an event of the legacy stream"),
    ("per-thread", "", "the per-thread stream",
     "an event of the per-thread stream"),
    ("none", "", "no stream", "an event never recorded"),
]


# The condition of generators; inWords() in Catalogue.cpp has the same text.
AFTER_SEED = "the call is the first use, or the first after a new seed"


def definitions(name, macro):
    """Maps each spelling in one of the catalogue's .def files to its text."""
    with open(os.path.join(CATALOGUE, name)) as file:
        return dict(re.findall(
            "^" + macro + r'\(\w+,\s*"([^"]+)",(?:[\w\s|]+,)*\s*"([^"]+)"',
            file.read(), re.M))


def flat(value):
    return [value] if isinstance(value, str) else list(value)


class Entry:
    """An entry with the outcomes and evidence that the build gives it."""

    def __init__(self, data, library):
        self.name, self.library = data["name"], library
        self.effect, self.args = data["effect"], data.get("args", {})
        # Brackets are for messages; see Action.h.
        # This corresponds to ActionText::before(Naming::Nothing) in Action.cpp.
        self.action = re.sub(r"\[((?!the |a |an )\w+ )?stream\]", r"\1a stream", data.get("action", ""))
        self.action = re.sub(r"[\[\]]", "", self.action)
        self.draws = "draws" in data.get("traits", [])
        self.evidence = list(data.get("evidence", []))
        self.outcome = data.get("outcome")
        self.like = (self.outcome.get("like") if isinstance(self.outcome, dict)
                     else None)
        self.rows = []

    def has(self, kind):
        return any(each["kind"] == kind for each in self.evidence)

    def names(self):
        """The stream or event on which the outcome depends, in addition to mode and conditions."""
        if "event" in self.args and "stream" not in self.args:
            return "event"
        named = {"stream", "config", "handle"} & set(self.args)
        # A launch has its stream between the brackets.
        if named or any("origin" in flat(row.get("stream", []))
                        for row in self.rows):
            return "stream"
        return None


def load(folder=os.path.join(CATALOGUE, "data")):
    """All entries by name, as embed-catalogue combines them."""
    files = []
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path) as file:
            files.append(json.load(file))
    shared, measured, entries = {}, {}, {}
    for data in files:
        if not data.get("entries"):
            shared.update(data.get("profiles", {}))
            measured.update(data.get("outcomes", {}))
    for data in files:
        profiles = {**shared, **data.get("profiles", {})}
        for each in data.get("entries", []):
            entry = entries[each["name"]] = Entry(each, data["library"])
            outcome = measured.get(entry.name)
            if isinstance(entry.outcome, str):
                outcome = profiles[entry.outcome]
            elif entry.outcome and not entry.like:
                entry.rows = entry.outcome["rows"]
            if outcome:
                entry.rows = outcome["rows"]
                entry.evidence = outcome.get("evidence", []) + entry.evidence
    for entry in entries.values():
        if entry.like:
            other = entries[entry.like]
            entry.rows = other.rows
            entry.evidence = other.evidence[:1] + entry.evidence
    return entries


def cells_of(row):
    modes = row["modes"] if "modes" in row else [row[mode] for mode in MODES]
    return modes if isinstance(modes, list) else [modes] * 3


def spelled(cell):
    if isinstance(cell, int):
        return str(cell)
    return {"succeeds": "ok"}.get(cell, cell.replace(" active", "*"))


def phrases(relations, names):
    """The words for each part of a set of relations."""
    result, left = [], set(relations)
    for needs, takes, of_stream, of_event in PHRASES:
        if not set(needs.split()) <= left:
            continue
        left -= set(needs.split()) | set(takes.split())
        if names is None and needs == "per-thread":
            result.append("its per-thread variant")
        else:
            result.append(of_event if names == "event" else of_stream)
        # An event that was never recorded counts as another event.
        if names == "event" and "other legacy" in needs:
            left.discard("none")
    return result


def table_of(entry, words):
    """Lines (if, called with, capturing stream, three cells), as tuples."""
    names = entry.names()

    def conditions(row):
        return tuple(sorted(flat(row.get("when", [])), key=list(words).index))
    sets = [()]
    for row in entry.rows:
        if conditions(row) not in sets:
            sets.append(conditions(row))
    lines = []
    for when in sorted(sets, key=len):
        rows = [row for row in entry.rows if conditions(row) == when]
        natural = set(STREAMS) if names else {"none"}
        natural.update(*(flat(row.get("stream", [])) for row in rows))
        parts = collections.OrderedDict()
        for relation in STREAMS + ["none"]:
            if relation not in natural:
                continue
            found = tuple(
                next((tuple(map(spelled, cells_of(row))) for row in rows
                      if relation in flat(row.get("stream", relation))
                      and row.get("capturing", kind) == kind), None)
                for kind in KINDS)
            if any(found):
                parts.setdefault(found, []).append(relation)
        condition = " and ".join(
            AFTER_SEED if each == "first-use" and entry.draws else words[each]
            for each in when)
        for found, relations in parts.items():
            for called in phrases(relations, names):
                if found[0] == found[1]:
                    lines.append((condition, called, "any") + found[0])
                    continue
                lines += [(condition, called, kind) + cells
                          for kind, cells in zip(KINDS, found) if cells]
    return tuple(lines)
