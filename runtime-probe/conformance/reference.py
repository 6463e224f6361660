#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the reference, docs/reference/*.md, from the catalogue's data.

usage: reference.py [--check] [--output FOLDER]

Writes one page for each library. With --check, it only compares the pages with the text
that it would write. The wording matches `cudagraph-tidy explain`; see
driver/reports/OutcomeTable.cpp.
"""

import argparse
import collections
import glob
import json
import os
import re
import sys
import textwrap

import generate
from entries import CATALOGUE, definitions, load, table_of

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
OUTPUT = os.path.join(ROOT, "docs", "reference")

TITLES = {
    "cuda-runtime": "CUDA runtime", "cuda-driver": "CUDA driver",
    "cublas": "cuBLAS", "cudnn": "cuDNN", "cufft": "cuFFT", "curand": "cuRAND",
    "cusolver": "cuSOLVER", "cusparse": "cuSPARSE", "nccl": "NCCL",
    "nvrtc": "NVRTC", "thrust": "Thrust", "cub": "CUB", "libtorch": "libtorch",
    "host": "C and C++ standard libraries",
}


class Page:
    """Collects the text of one page, and numbers its evidence."""

    def __init__(self, title):
        self.lines, self.sources = [f"# {title}", ""], []

    def add(self, *lines):
        self.lines += lines

    def text(self, words, indent=""):
        self.lines += textwrap.wrap(
            words, 120, initial_indent=indent, break_on_hyphens=False,
            subsequent_indent=" " * len(indent), break_long_words=False)

    def number(self, source):
        if source not in self.sources:
            self.sources.append(source)
        return f"[{self.sources.index(source) + 1}]"

    def cite(self, entry):
        """The evidence of one entry, as numbers of the page's list."""
        result = []
        for each in entry.evidence:
            source = each["source"]
            measured = re.match(r"(.*\.json\)): (.*), (\d+) rows$", source)
            if each["kind"] == "measured" and measured:
                number = self.number(f"measured: {measured[1]}")
                as_other = (f" of `{measured[2]}`"
                            if measured[2] != entry.name else "")
                result.append(f"{number} {measured[3]} rows{as_other}")
                continue
            for name in (entry.name, entry.name.split("::")[-1]):
                source = source.removesuffix(f", {name}")
            result.append(self.number(f"{each['kind']}: {source}"))
        return ", ".join(result)

    def __str__(self):
        lines = list(self.lines)
        if self.sources:
            lines += ["## Evidence", ""]
            lines += [f"- [{i}] {source}"
                      for i, source in enumerate(self.sources, 1)] + [""]
        return "\n".join(lines).rstrip("\n") + "\n"


def code(name):
    return "`" + name.replace("|", "\\|") + "`"


def listed(names):
    return ", ".join(map(code, names))


def titled(names):
    """The heading of a group."""
    shown = names[:2] if len(names) > 3 else names
    text = ", ".join(shown)
    rest = len(names) - len(shown)
    # Brackets of a launch are not HTML.
    return (text + (f", and {rest} more" if rest else "")).replace("<", "\\<")


def sort_out(entries):
    """Returns the functions by table, those without an effect, and those without an
    outcome."""
    words = definitions("Conditions.def", "CONDITION")
    tables, neutral, unknown = collections.defaultdict(list), [], []
    for entry in entries:
        table = table_of(entry, words)
        values = {cell for line in table for cell in line[3:]}
        if values == {"ok"} or (not table and entry.effect == "neutral"):
            neutral.append(entry)
        elif table:
            tables[table].append(entry)
        else:
            unknown.append(entry)
    return tables, neutral, unknown


def library_page(library, entries, measured, reasons, effects):
    page = Page(TITLES.get(library, library))
    tables, neutral, unknown = sort_out(entries)
    page.text(f"This page lists the behavior of {len(entries)} functions "
              "while a stream captures. [How to read the tables](README.md) "
              "explains the results.")
    page.add("")
    order = sorted(tables.items(),
                   key=lambda item: (-len(item[1]), item[1][0].name))
    for table, functions in order:
        page.add(f"## {titled([each.name for each in functions])}", "",
                 "| called with | capturing stream | global | thread-local "
                 "| relaxed |", "| --- | --- | --- | --- | --- |")
        for condition, called, kind, *cells in table:
            where = f"if {condition}: {called}" if condition else called
            page.add("| " + " | ".join([where, kind] + cells) + " |")
        page.add("", "| function | action | evidence |",
                 "| --- | --- | --- |")
        for each in functions:
            does = each.action or effects[each.effect]
            page.add(f"| {code(each.name)} | {does} | {page.cite(each)} |")
        page.add("")
    if neutral:
        page.add("## No effect on a capture", "")
        lists = collections.defaultdict(list)
        for each in neutral:
            lists["Success, but the call may destroy the capture together with "
                  "its stream or context" if measured.get(each.name) else
                  "Measured" if each.name in measured or each.has("measured")
                  else "According to the documentation"].append(each.name)
        for title, names in sorted(lists.items(), reverse=True):
            page.text(f"{title}: {listed(names)}.")
            page.add("")
    if unknown:
        page.add("## Unknown outcome", "", "The effect of these functions is "
                 "known, but not their outcome in a capture.", "")
        by_effect = collections.defaultdict(list)
        for each in unknown:
            by_effect[each.effect, reasons.get(each.name)].append(each.name)
        for (effect, why), names in sorted(
                by_effect.items(), key=lambda item: (item[0][0], item[1])):
            page.text(f"{effects[effect]}: {listed(names)}"
                      + (f" ({why})" if why else ""), "- ")
        page.add("")
    counts = [len(entries), sum(map(len, tables.values())), len(neutral),
              len(unknown), sum(each.name in measured for each in entries)]
    return str(page), counts


def host_page(entries, effects):
    """The standard libraries by effect; such calls never reach CUDA."""
    page = Page(TITLES["host"])
    page.text(f"This page summarizes {len(entries)} functions that do not use "
              "CUDA. Their effects occur once, at capture, and not when the "
              "graph is launched.")
    page.add("", "| effect | functions | examples |", "| --- | --- | --- |")
    by_effect = collections.defaultdict(list)
    for each in entries:
        by_effect[each.effect].append(each.name)
    for effect, names in sorted(by_effect.items()):
        page.add(f"| {effects[effect]} | {len(names)} | {listed(names[:4])} |")
    return str(page)


def index_page(counts, hosted, words):
    page = Page("Reference")
    page.text("The reference lists the behavior of each function while a CUDA "
              "stream captures. `runtime-probe/conformance/reference.py` "
              "generates these pages from `checks/catalogue`; "
              "`cudagraph-tidy explain FUNCTION` prints the same information.")
    page.add("", "| page | functions | with a table | no effect | unknown | "
             "measured |", "| --- | --- | --- | --- | --- | --- |")
    for library, numbers in counts.items():
        page.add(f"| [{TITLES.get(library, library)}]({library}.md) | "
                 + " | ".join(map(str, numbers)) + " |")
    page.add(f"| [{TITLES['host']}](host.md) | {hosted} | | | | |", "")
    page.text("`capture_matrix` calls the *measured* functions. Other "
              "functions behave like one of these, or their outcomes come "
              "from the documentation.")
    page.add("", "## How to read the tables", "",
             "A row describes a situation: the stream or event of the call, and "
             "the kind of the capturing stream. The last three",
             "columns are the capture modes.", "",
             "| result | meaning |", "| --- | --- |",
             "| a number | CUDA returns this error, and the capture is "
             "invalidated; for a library function, a CUDA call inside it "
             "returns the error |",
             "| a number with `*` | CUDA returns this error, and the capture "
             "continues without the call |",
             "| captured | success; the work is in the graph |",
             "| escapes | success; the work runs at capture, and is not in the "
             "graph |",
             "| ok | success; no device work is involved |", "",
             "| called with | meaning |", "| --- | --- |",
             "| the capturing stream | the stream on which the capture began |",
             "| a stream joined to it | a stream that an event forked into the "
             "capture |",
             "| a capturing stream | either of these |",
             "| another stream | a stream outside the capture |",
             "| the legacy stream | the legacy default stream |",
             "| the per-thread stream | the per-thread default stream, outside "
             "the capture; in a table without a row for it, it counts as "
             "another stream |",
             "| its per-thread variant | the call has no stream argument, and "
             "is compiled for per-thread default streams |",
             "| no stream | the call has no stream argument |",
             "| an event ... | the stream on which the event was last recorded "
             "determines the outcome |", "")
    page.text("The capturing stream is *blocking* unless it was created with "
              "`cudaStreamNonBlocking`; one blocking stream in the capture "
              "makes the capture blocking. Rows with \"if\" take precedence "
              "over rows without it, and a row with more conditions takes "
              "precedence over a row with fewer. Situations without a row "
              "were not measured. The conditions:")
    page.add("")
    page.add(*(f"- if {text}" for text in words.values()))
    return str(page)


def measured_calls(folder):
    """Maps each call to whether it succeeds without leaving a capture."""
    result = collections.defaultdict(bool)
    for row in generate.load_measured(folder):
        result[row["call"]] |= (row["returned"] == 0
                                and row["status_after"] is None)
    return dict(result)


def pages():
    """Maps each file name of the reference to its text."""
    effects = definitions("Effects.def", "EFFECT")
    with open(os.path.join(CATALOGUE, "unmeasured.json")) as file:
        reasons = json.load(file)["functions"]
    measured = measured_calls(os.path.join(CATALOGUE, "measured"))
    by_library = collections.defaultdict(list)
    for entry in sorted(load().values(), key=lambda each: each.name):
        by_library[entry.library].append(entry)
    host = by_library.pop("host")
    result, counts = {}, collections.OrderedDict()
    known = [name for name in TITLES if name in by_library]
    for library in known + sorted(set(by_library) - set(TITLES)):
        text, counts[library] = library_page(
            library, by_library[library], measured, reasons, effects)
        result[f"{library}.md"] = text
    result["host.md"] = host_page(host, effects)
    result["README.md"] = index_page(
        counts, len(host), definitions("Conditions.def", "CONDITION"))
    return result


def existing(folder):
    result = {}
    for path in glob.glob(os.path.join(folder, "*.md")):
        with open(path) as file:
            result[os.path.basename(path)] = file.read()
    return result


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--output", default=OUTPUT)
    options = parser.parse_args()
    wanted, found = pages(), existing(options.output)
    if options.check:
        stale = sorted(name for name in wanted.keys() | found.keys()
                       if wanted.get(name) != found.get(name))
        if stale:
            sys.exit(f"reference.py: error: {', '.join(stale)} in "
                     f"{options.output}: does not match the data; run "
                     "reference.py")
        return
    os.makedirs(options.output, exist_ok=True)
    for name in found.keys() - wanted.keys():
        os.remove(os.path.join(options.output, name))
    for name, text in wanted.items():
        with open(os.path.join(options.output, name), "w") as file:
            file.write(text)
    print(f"{len(wanted)} pages, {sum(map(len, wanted.values()))} bytes")


if __name__ == "__main__":
    main()
