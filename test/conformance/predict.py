#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the tool's predictions with CUDA's results, row by row.

usage: predict.py --tool CUDAGRAPH-TIDY --work FOLDER [--thread other]
                  [--subject NAME]... [--call NAME] [--verbose] [--keep]

Each row of checks/catalogue/measured becomes a separate program: the text of the case,
as capture_matrix compiled it, between the beginning and the end of the capture that the
row describes. The tool analyzes the programs, and its finding at the call is compared
with the row. Exit status 1 if they disagree. """

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CONFORMANCE = os.path.join(ROOT, "runtime-probe", "conformance")
MEASURED = os.path.join(ROOT, "checks", "catalogue", "measured")
sys.path.insert(0, CONFORMANCE)
import cases  # noqa: E402
import generate  # noqa: E402

# Programs per translation unit; fewer if all of them call the same helpers.
PROGRAMS, LIBRARY_PROGRAMS = 500, 240
MODES = {"global": "cudaStreamCaptureModeGlobal",
         "thread_local": "cudaStreamCaptureModeThreadLocal",
         "relaxed": "cudaStreamCaptureModeRelaxed"}
STREAM = {"origin": "S.Origin", "joined": "S.Joined",
          "other-blocking": "S.OtherBlocking",
          "other-nonblocking": "S.OtherNonBlocking",
          "legacy": "cudaStreamLegacy", "per-thread": "cudaStreamPerThread",
          "none": "nullptr"}
FLAGS = {True: "cudaStreamNonBlocking", False: "cudaStreamDefault"}
Program = collections.namedtuple("Program", "row case helpers first last")


def steps(action, preamble):
    """The actions of chain(A, B) in order, even if a variable contains it."""
    for declaration in preamble:
        match = re.match(r"(?:auto|Action)\s+(\w+)\s*=\s*(chain\s*\(.*)$",
                         declaration, re.S)
        if match and match.group(1) == action:
            return steps(match.group(2), preamble)
    match = re.match(r"chain\s*\(", action)
    if not match or cases.matching(action, match.end() - 1) != len(action):
        return [action]
    result = []
    for part in cases.split(action[match.end():-1], ","):
        result += steps(part, preamble)
    return result


def perform(action, preamble):
    if not action:
        return []
    parts = steps(action, preamble)
    return "\n".join(f"  ({part})(S);" for part in parts).split("\n")


def program(number, case, row):
    """The lines of one program, and the range of the lines of the call."""
    non_blocking = row["capturing"] != "blocking"
    stream = row["stream"]
    inside = stream in ("origin", "joined")
    names_event = (case.argument("EventNamed") is not None or
                   case.argument("events") is not None)
    forked = stream == "joined" or row["capturing"] == "mixed"
    lines = [
        f"static void program{number}() {{",
        "  Scene S;",
        f"  S.Mode = {MODES[row['mode']]};",
        f"  cudaStreamCreateWithFlags(&S.Origin, {FLAGS[non_blocking]});",
        "  cudaStreamCreateWithFlags(&S.Joined, "
        f"{FLAGS[row['capturing'] == 'non-blocking']});",
        "  cudaStreamCreateWithFlags(&S.OtherBlocking, cudaStreamDefault);",
        "  cudaStreamCreateWithFlags(&S.OtherNonBlocking, "
        "cudaStreamNonBlocking);",
        "  cudaEventCreate(&S.Event);", "  cudaEventCreate(&S.Outside);",
        "  cudaEventCreate(&S.Captured);", "  cudaEventCreate(&S.Fresh);",
        "  cudaMalloc(&S.Device, S.Bytes);",
        "  cudaMalloc(&S.Device2, S.Bytes);",
        "  cudaMallocHost(&S.Pinned, S.Bytes);",
        "  S.Host = static_cast<char *>(std::calloc(1, S.Bytes));",
        "  S.Host2 = static_cast<char *>(std::calloc(1, S.Bytes));",
        f"  S.Stream = {STREAM[stream]};",
    ]
    where = {"other-blocking": "OtherBlocking", "per-thread": "PerThread",
             "other-nonblocking": "OtherNonBlocking"}.get(
                 stream, stream.capitalize())
    lines.append(f"  S.Where = Relation::{where};")
    uses = " ".join([case.made] + [str(c) for c in case.chain])
    first = last = None
    helpers = []
    for declaration in needed(case.preamble, uses):
        text = ("  " + declaration + ";").split("\n")
        if re.match(rf"(const\s+)?(auto|Action)\s+{re.escape(case.made)}\b",
                    declaration):
            first, last = len(lines), len(lines) + len(text) - 1
        elif any(re.search(rf"\b{name}\b", case.made)
                 for name in re.findall(r"^auto (\w+) =", declaration)):
            helpers += range(len(lines), len(lines) + len(text))
        lines += text
    lines.append("  cudaEventRecord(S.Outside, S.Origin);")
    if names_event and not inside and stream != "none":
        lines.append("  cudaEventRecord(S.Event, S.Stream);")
    lines += perform(case.argument("before"), case.preamble)
    lines += ["  cudaDeviceSynchronize();",
              f"  cudaStreamBeginCapture(S.Origin, {MODES[row['mode']]});",
              "  cudaMemsetAsync(S.Device, 0, 64, S.Origin);",
              "  cudaEventRecord(S.Captured, S.Origin);"]
    if forked:
        lines += ["  cudaStreamWaitEvent(S.Joined, S.Captured, 0);",
                  "  cudaMemsetAsync(S.Device2, 0, 64, S.Joined);"]
    if names_event and inside:
        lines.append("  cudaEventRecord(S.Event, S.Stream);")
    lines += perform(case.argument("inside"), case.preamble)
    if first is None:
        first = len(lines)
        lines += ("  auto Made = " + case.made + ";").split("\n")
        last = len(lines) - 1
        made = "Made"
    else:
        made = case.made
    if row["other-thread"]:
        lines.append(f"  std::thread([&] {{ {made}(S); }}).join();")
    else:
        lines.append(f"  {made}(S);")
    if forked:
        lines += ["  cudaEventRecord(S.Fresh, S.Joined);",
                  "  cudaStreamWaitEvent(S.Origin, S.Fresh, 0);"]
    lines += ["  cudaGraph_t Graph = nullptr;",
              "  cudaStreamEndCapture(S.Origin, &Graph);", "}"]
    return lines, first, last, helpers


def needed(preamble, text):
    """The declarations that the text mentions, directly or through others."""
    wanted = []
    for declaration in reversed(preamble):
        match = re.match(
            r"(?:static\s+)?(?:constexpr\s+)?(?:const\s+)?[\w:<>*\s]+?[\s*&]"
            r"(\w+)(?:\[\])?\s*(?:=|\{|;|$)", declaration)
        if not match or re.search(rf"\b{match.group(1)}\b", text):
            wanted.insert(0, declaration)
            text += " " + declaration
    return wanted


def units(options):
    """Yields the path, the subject, and the programs of each translation unit."""
    rows = collections.defaultdict(list)
    for row in generate.load_measured(MEASURED):
        if row["other-thread"] == (options.thread == "other"):
            rows[row["call"], row.get("form", "")].append(row)
    for path in sorted(glob.glob(os.path.join(CONFORMANCE, "*Cases.cu"))):
        listed, outside = cases.cases_of(path)
        subject = os.path.basename(path)[:-len("Cases.cu")]
        if options.subject and subject not in options.subject:
            continue
        work = [(case, row) for case in listed
                for row in rows[case.call, case.form]
                if not options.call or case.call == options.call]
        top, own, bottom = parts(outside)
        shared = set(re.findall(r'#include "(\w+\.h)"', outside))
        size = LIBRARY_PROGRAMS if shared - {"Scene.h"} else PROGRAMS
        for start in range(0, len(work), size):
            text = ["#include <cstdlib>", "#include <thread>"] + top
            programs = []
            for number, (case, row) in enumerate(work[start:start + size]):
                text += [f"namespace program{number} {{"]
                helpers = [len(text) + line + 1
                           for line in helper_lines(own, case.made)]
                text += own
                lines, first, last, local = program(number, case, row)
                helpers += [len(text) + line + 1 for line in local]
                programs.append(Program(row, case, helpers,
                                        len(text) + first + 1,
                                        len(text) + last + 1))
                text += lines + ["}"]
            text += bottom
            name = f"{subject}{start // size}.cu"
            with open(os.path.join(options.work, name), "w") as file:
                file.write("\n".join(text) + "\n")
            yield os.path.join(options.work, name), subject, programs


def helper_lines(own, made):
    """The lines of the functions that the text of an action mentions."""
    result, inside = [], False
    for number, line in enumerate(own):
        match = re.match(r"static [\w:<>*& ]*?\b(\w+)\(", line)
        if match:
            inside = re.search(rf"\b{match.group(1)}\b", made) is not None
        if inside:
            result.append(number)
        inside = inside and not line.startswith("}")
    return result


def parts(outside):
    """The code of a file other than its cases: the part before its namespace, the part
    that is copied to every program, and the end of the namespace."""
    lines = outside.strip().split("\n")
    opened = max(i for i, line in enumerate(lines)
                 if line.startswith("namespace cudagraph::conformance"))
    closed = max(i for i, line in enumerate(lines) if line.startswith("}")
                 and "namespace" not in line or line == "}")
    return lines[:opened + 1], lines[opened + 1:closed], lines[closed:]


def analyse(options, path):
    """The findings of one translation unit."""
    command = [options.tool, "--format=json", "--confidence=possible",
               "--checks=*", path, "--", "-std=c++17", f"-I{CONFORMANCE}",
               "-x", "cuda", "--cuda-gpu-arch=sm_90", "-w",
               "-DCUDAGRAPH_WITH_CUDNN", "-DCUDAGRAPH_WITH_NCCL"]
    command += [f"-I{folder}" for folder in options.include]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return None, done.stderr[-3000:]
    return json.loads(done.stdout)["findings"], done.stderr


def said(findings, name):
    """The tool's result for the call: outcomes, and whether they are certain."""
    outcomes = set()
    findings = [f for f in findings if f["check"] not in (
        "cudagraph-ignored-result", "cudagraph-host-logic")]
    # A macro may call a function with a different name.
    named = [f for f in findings if f["callee"] == name]
    for finding in named or findings:
        kind = finding["outcome"]["kind"]
        if finding["confidence"] == "possible":
            outcomes.add("depends")
        if kind == "error":
            outcomes.add(finding["outcome"]["code"])
        elif kind == "escapes":
            outcomes.add("escapes")
        elif kind == "depends":
            outcomes.add("depends")
            for other in finding["outcome"]["alternatives"]:
                outcomes.add(other.get("code") or other["kind"])
    return outcomes


def seen(row, entry, idle):
    """The result in the row, as a finding would state it."""
    form = row.get("form", "")
    if row["call"] in ("cudaGetLastError", "cudaPeekAtLastError"):
        return None  # an error reported where it occurred
    if "after a refused call" in form and row["returned"] == 1:
        return None  # events of a lost capture are invalid
    if row["status_after"] == "none" and not row["end"] == 0 and \
            not 900 <= row["returned"] <= 908:
        # The capture no longer exists; a graph has the events that the capture
        # recorded.
        captured = form.startswith("captured") and "outside" not in form
        return 1 if row["returned"] == 1 and captured else None
    cell = generate.cell(row, entry, idle)
    code = int(str(cell).split()[0]) if str(cell)[0].isdigit() else None
    if code == 901:
        return None  # the consequence of a reported cause
    if cell == "escapes" and (row["other-thread"] or "another thread," in form
                              or form.endswith("in another thread")):
        # Work of another thread is separate unless that thread also captures.
        return "escapes" if form.endswith("which captures") else None
    return code or ("escapes" if cell == "escapes" else None)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--thread", default="capturing")
    parser.add_argument("--subject", action="append")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--call")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    entries = generate.load_entries()
    with open(os.path.join(CONFORMANCE, "forms.json")) as file:
        unpredicted = json.load(file)["unpredicted"]
    counts = collections.Counter()
    wrong = collections.defaultdict(list)
    open_cases = collections.Counter()
    todo = list(units(options))
    idle = {(p.row["call"], p.row.get("form", ""))
            for _, _, programs in todo for p in programs
            if p.row["stream"] == "origin" and p.row["nodes_added"] == 0
            and not p.row["returned"] and not p.row.get("cuda_code")}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda unit: analyse(options, unit[0]), todo)
        for (path, subject, programs), (findings, errors) in zip(todo, results):
            if findings is None:
                counts["not analyzed"] += len(programs)
                print(f"{os.path.basename(path)}: {errors}", file=sys.stderr)
                continue
            by_line = collections.defaultdict(list)
            for finding in findings:
                by_line[finding["location"]["line"]].append(finding)
            for p in programs:
                call, form = p.case.call, p.case.form
                why = unpredicted.get(call, {})
                if form in why or "*" in why:
                    counts["not predicted (forms.json states why)"] += 1
                    continue
                here = [f for line in range(p.first, p.last + 1)
                        for f in by_line[line]]
                if not here:  # the call may be in a helper
                    here = [f for line in p.helpers for f in by_line[line]
                            if f["callee"] == call]
                outcomes = said(here, call)
                truth = seen(p.row, entries[call], (call, form) in idle)
                if outcomes == ({truth} if truth else set()):
                    counts["agree"] += 1
                elif "depends" in outcomes and (truth in outcomes or not truth):
                    counts["agree, among alternatives"] += 1
                    open_cases[call, form] += 1
                else:
                    counts["disagree"] += 1
                    wrong[subject, call, form, str(truth),
                          str(sorted(map(str, outcomes)))].append(
                        f"{p.row['capturing']}/{p.row['stream']}/"
                        f"{p.row['mode']} "
                        f"({os.path.basename(path)}:{p.first})")
            if not options.keep:
                os.remove(path)
    for (subject, call, form, truth, outcomes), where in wrong.items():
        print(f"{subject}: {call} ({form}): measured {truth}, predicted "
              f"{outcomes}: {len(where)} rows, "
              + ", ".join(where[:None if options.verbose else 2]))
    if options.verbose:
        for (call, form), count in open_cases.items():
            print(f"among alternatives: {call} ({form}): {count} rows")
    # The text of every row's case must be found, or the comparison is weaker.
    if not (options.subject or options.call):
        measured = sum(row["other-thread"] == (options.thread == "other")
                       for row in generate.load_measured(MEASURED))
        counts["without a case"] = measured - sum(counts.values())
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    bad = (counts["disagree"] + counts["not analyzed"] +
           counts["without a case"])
    sys.exit(1 if bad or not counts["agree"] else 0)


if __name__ == "__main__":
    main()
