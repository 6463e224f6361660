#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: run_gpu.py --probe PROBE --programs DIR --source DIR [--output FILE]
                  [--filter TEXT] [--without-torch] [--check-markers]

Runs every case of gpu_cases.py under `PROBE run`, and compares the report with
what is expected and with the markers in the sources (Program.h): kind, code, API,
file, line, and how the program ended. Exits with 1 if one differs. --check-markers
needs neither probe nor GPU: each case must have the markers that it needs."""

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from gpu_cases import CASES, TORCH_CASES

MARKER = re.compile(r"(?://|#) (BREAKS|SURVIVES|FINDS) (\S+) (.+)$")
UNMARKED = {"empty-graph", "frozen", "environment"}


def source(case):
    name = case["program"].replace("_shared", "")
    return name if name.endswith(".py") else name + ".cu"


def markers(path, argument):
    """Returns the line, the kind, and the code or None of each marker for the case."""
    found = []
    with open(path) as f:
        for number, text in enumerate(f, 1):
            m = MARKER.search(text.rstrip())
            if m and argument in m[3].split():
                kind = {"BREAKS": "refused", "SURVIVES": "survived"}.get(m[1], m[2])
                found.append((number, kind, int(m[2]) if m[2].isdigit() else None))
    return found


def places(finding):
    """Returns the file and line of the finding: its location, or a Python frame."""
    frames = [finding.get("location") or {}, *finding.get("python", [])[:1]]
    return {(os.path.basename(f.get("file") or ""), f.get("line")) for f in frames}


def differences(case, finding, name, marked):
    """The difference between a finding and the expectation."""
    want = case
    for key in ("code", "api", "severity"):
        if want.get(key) is not None and finding.get(key) != want[key]:
            yield f"{key} is {finding.get(key)}, not {want[key]}"
    lines = [line for line, kind, code in marked if kind == want["kind"]]
    if lines and not any((name, line) in places(finding) for line in lines):
        yield f"is at {sorted(places(finding), key=str)}, not {name}:{lines}"
    if want.get("consequence") and not any(
            c.get("code") == want["consequence"] for c in finding.get("consequences", [])):
        yield f"no consequence {want['consequence']}"
    if want.get("what") is not None and not any(
            want["what"] in c.get("what", "") for c in finding.get("changes", [])):
        yield f"no change to '{want['what']}': {finding.get('changes')}"


def judge(case, report, marked):
    """All errors in the report."""
    if report.get("version") != 1:
        yield f"version is {report.get('version')}"
    program = report.get("program", {})
    # A process that a signal ends has no status.
    if case.get("signal"):
        if program.get("signal") != case["signal"]:
            yield f"signal is {program.get('signal')}, not {case['signal']}"
    elif program.get("status") != case.get("status", 0):
        yield f"status is {program.get('status')}, not {case.get('status', 0)}"
    left = [f for f in report.get("findings", []) if f["kind"] not in case.get("also", [])
            or any(f["kind"] == w["kind"] for w in case["finds"])]
    for want in case["finds"]:
        same = [f for f in left if f["kind"] == want["kind"]]
        if not same:
            if not want.get("optional"):
                yield f"no finding {want['kind']}"
            continue
        told = [list(differences(want, f, source(case), marked)) for f in same]
        best = min(range(len(same)), key=lambda i: len(told[i]))
        left.remove(same[best])
        yield from (f"{want['kind']}: {d}" for d in told[best])
    for f in left:
        if f["kind"] != "environment" and f.get("severity") != "remark":
            yield f"unexpected {f['kind']}: {f.get('api')} {f.get('code')} {places(f)}"


def run(case, options, scratch):
    report = os.path.join(scratch, "report.json")
    if os.path.exists(report):
        os.remove(report)
    program = ([sys.executable, os.path.join(options.source, case["program"])]
               if case["program"].endswith(".py")
               else [os.path.join(options.programs, case["program"])])
    try:
        done = subprocess.run(
            [options.probe, "run", "--output", report, "--", *program, case["argument"]],
            capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, ["does not end"], ""
    if not os.path.exists(report):
        return None, [f"no report; status {done.returncode}"], done.stderr
    with open(report) as f:
        data = json.load(f)
    marked = markers(os.path.join(options.source, source(case)), case["argument"])
    return data, list(judge(case, data, marked)), done.stderr


def machine_of(report):
    """The environment of the measurements."""
    processes = (report or {}).get("processes") or [{}]
    nvcc = subprocess.run(["nvcc", "--version"], capture_output=True, text=True).stdout \
        if shutil.which("nvcc") else ""
    smi = subprocess.run(
        ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
        capture_output=True, text=True).stdout if shutil.which("nvidia-smi") else ""
    release = re.search(r"V[\d.]+", nvcc)
    return dict(gpu=processes[0].get("gpu"), driver_api=processes[0].get("driver"),
                driver=(smi.split() or [None])[0],
                toolkit=release[0] if release else None,
                date=time.strftime("%Y-%m-%d"))


def essence(report):
    """A report without addresses or machine-specific paths."""
    if not report:
        return {}
    return dict(
        captures=[c["outcome"] for c in report.get("captures", [])],
        findings=[dict(kind=f["kind"], severity=f.get("severity"), code=f["code"],
                       api=f["api"], places=sorted(f"{n}:{l}" for n, l in places(f)),
                       follows=[[c.get("api"), c["code"]] for c in f.get("consequences", [])],
                       **{k: f[k] for k in ("operator",) if k in f})
                  for f in report.get("findings", [])])


def check_markers(options):
    wrong = 0
    for case in CASES + TORCH_CASES:
        marked = markers(os.path.join(options.source, source(case)), case["argument"])
        for want in case["finds"]:
            here = [m for m in marked if m[1] == want["kind"]]
            code = {m[2] for m in here} - {None}
            if want["kind"] not in UNMARKED and (
                    len(here) != 1 or code and want.get("code") not in (None, *code)):
                print(f"{source(case)} {case['argument']}: {here} for {want}")
                wrong += 1
        wrong += not case["finds"] and bool(marked)
    print(f"{wrong} wrong markers")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--probe")
    parser.add_argument("--programs")
    parser.add_argument("--source", default=os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--output")
    parser.add_argument("--filter", default="")
    parser.add_argument("--without-torch", action="store_true")
    parser.add_argument("--check-markers", action="store_true")
    options = parser.parse_args()
    if options.check_markers:
        sys.exit(check_markers(options) != 0)
    if not options.probe or not options.programs:
        parser.error("--probe and --programs are needed")

    cases = list(CASES)
    if options.without_torch:
        pass
    elif importlib.util.find_spec("torch"):
        cases += TORCH_CASES
    else:
        print("no PyTorch: its cases are skipped")
        if options.filter and not any(options.filter in c["program"] for c in CASES):
            sys.exit(0)
    results, failed, machine = [], 0, {}
    with tempfile.TemporaryDirectory() as scratch:
        for case in cases:
            name = f"{case['program']} {case['argument']}"
            if options.filter not in name:
                continue
            report, wrong, errors = run(case, options, scratch)
            failed += bool(wrong)
            print(f"{'FAIL' if wrong else 'PASS'}: {name}", flush=True)
            for w in wrong:
                print(f"  {w}")
            if wrong and errors:
                print("  | " + "\n  | ".join(errors.strip().splitlines()[-8:]))
            results.append(dict(case=name, wrong=wrong, **essence(report)))
            machine = machine or machine_of(report)
    regions = os.path.join(options.programs, "regions")
    if os.path.exists(regions) and options.filter in "regions":
        done = subprocess.run([regions], capture_output=True, text=True, timeout=300)
        failed += bool(done.returncode)
        print(f"{'FAIL' if done.returncode else 'PASS'}: regions")
        if done.returncode:
            print(done.stdout + done.stderr)
        results.append(dict(case="regions", wrong=[], says=done.stdout.splitlines())
                       if not done.returncode else
                       dict(case="regions", wrong=[f"status {done.returncode}"]))
    if options.output:
        with open(options.output, "w") as f:
            f.write(json.dumps(machine)[:-1] + ', "cases": [\n')
            f.write(",\n".join(map(json.dumps, results)) + "\n]}\n")
    print(f"{len(results) - failed} of {len(results)} cases passed")
    sys.exit(1 if failed or not results else 0)


if __name__ == "__main__":
    main()
