#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: run_pytorch.py --probe PROBE [--output FILE] [--keep DIR] [--library FILE]
                      [--filter TEXT] [--jobs N] | --check

Runs each operator of examples/pytorch through each of PyTorch's entry points, without
the probe and with `PROBE run`, and compares the results and the probe's report with the
expectations here and with the markers in ops.cu (Program.h). Exits with 1 if one
differs, and with 0 and a message if PyTorch is not installed.

  --output FILE   write the results as JSON
  --keep DIR      keep each report there, as JSON and as text
  --library FILE  use this library instead of compiling ops.cu
  --check         needs neither probe nor GPU: operators, expectations, and markers
  agree"""

import argparse
import concurrent.futures
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from gpu_cases import case, found, refused  # noqa: E402
from run_gpu import judge, machine_of, markers  # noqa: E402

EXAMPLE = os.path.normpath(os.path.join(HERE, "..", "..", "..", "examples", "pytorch"))
SOURCE = os.path.join(EXAMPLE, "ops.cu")
LIMIT = 300  # seconds for a program

ENTRIES = ["graph", "callables", "compile"]
REFUSED = {
    "normalize_by_max": refused(900, "cudaStreamSynchronize"),
    "pack_nonzero": refused(900, "cudaStreamSynchronize"),
    "smooth_with_malloc": refused(900, "cudaMalloc"),
}
# Captured, and wrong when replayed.
SILENT = {
    "scale_on_default_stream": [found("escaped", api="cudaLaunchKernel")],
    "weigh_from_stack": [found("pageable-copy", api="cudaMemcpyAsync", severity="warning")],
    # A single capture cannot be compared with another capture.
    "decay_by_host_step": [],
}
# Two captures differ in the addresses, because each has its own memory. With
# decay_by_host_step, they also differ in a factor.
AGAIN = {"decay_by_host_step": {("multiply(float*, float const*, float, long)", "argument 2")},
         "decay_by_device_step": set()}
ADDRESS = re.compile(r"0x0000[0-9a-f]{12}$|bytes ")


def operators():
    with open(SOURCE) as f:
        names = re.findall(r'm\.def\("(\w+)\(Tensor ', f.read())
    return names


def cases():
    """Yields the entry, the number of captures, the expected end, and the expected
    report."""
    for entry in ENTRIES:
        for name in operators():
            finds = [REFUSED[name]] if name in REFUSED else SILENT.get(name, [])
            result = dict(captured=name not in REFUSED, differs_from_eager=(
                None if name in REFUSED else name in SILENT))
            yield entry, 1, result, case("ops", name, *finds)
    for name in AGAIN:
        result = dict(captured=True, differs_from_eager=name in SILENT)
        yield "graph", 2, result, case("ops", name, found("frozen", severity="remark"))


def last_line(text):
    """The JSON that run.py prints; other output may precede it."""
    try:
        return json.loads(text.strip().splitlines()[-1])
    except (IndexError, ValueError):
        return {}


def execute(command):
    # Many programs run concurrently, so torch.compile needs no additional
    # processes.
    environment = {"TORCHINDUCTOR_COMPILE_THREADS": "1", **os.environ}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT,
                              env=environment)
    except subprocess.TimeoutExpired:
        return {}, "", ["does not end"]
    wrong = [f"status {done.returncode}"] if done.returncode else []
    return last_line(done.stdout), done.stderr, wrong


def run(entry, captures, result, expected, options):
    """The results, with `wrong`: all errors."""
    name = expected["argument"]
    stem = "-".join([entry, name] + ["again"] * (captures > 1))
    report = os.path.join(options.keep, stem + ".json")
    program = [sys.executable, os.path.join(EXAMPLE, "run.py"), "--library",
               options.library, "--captures", str(captures), entry, name]
    bare, errors, wrong = execute(program)
    probed, text, more = execute([options.probe, "run", "--output", report, "--", *program])
    wrong += [f"under the probe: {w}" for w in more]
    with open(os.path.join(options.keep, stem + ".txt"), "w") as f:
        f.write(text)
    wrong += [f"{key} is {bare.get(key)}, not {value}"
              for key, value in result.items() if bare.get(key) != value]
    if probed != bare:
        wrong.append(f"{bare}, and under the probe {probed}")
    data = {}
    if os.path.exists(report):
        with open(report) as f:
            data = json.load(f)
        wrong += judge(expected, data, markers(SOURCE, name))
        findings = data["findings"]
        # The location is a line of C++, although PyTorch and Python frames
        # surround it.
        wrong += [f"{f['kind']} is at {place(f)}" for f in findings
                  if f.get("severity") != "remark" and not place(f).startswith("ops.cu:")]
        if captures > 1 and (values := frozen(findings)) != AGAIN[name]:
            wrong.append(f"captures differ in {values}, not {AGAIN[name]}")
    else:
        wrong.append("no report")
    return dict(entry=entry, variant=name, **({"again": True} if captures > 1 else {}),
                wrong=wrong, outcome={k: v for k, v in bare.items()
                                      if k not in ("entry", "variant")},
                **essence(data)), errors + text


def place(finding):
    location = finding.get("location") or {}
    return f"{os.path.basename(location.get('file') or '')}:{location.get('line')}"


def frozen(findings):
    """The differences between captures, (kernel, argument), other than addresses."""
    return {(c.get("function"), c["what"]) for f in findings for c in f.get("changes", [])
            if not all(map(ADDRESS.match, c["values"]))}


def essence(report):
    """A report without addresses or machine-specific paths."""
    return dict(
        captures=[dict(mode=c["mode"], outcome=c["outcome"], nodes=c["nodes"])
                  for c in report.get("captures", [])],
        findings=[dict(kind=f["kind"], severity=f["severity"], code=f["code"],
                       api=f["api"], place=place(f),
                       function=(f.get("location") or {}).get("function"),
                       **{k: f[k] for k in ("operator",) if k in f},
                       **{k: [[c.get("function") or c.get("api"), c.get("what") or c["code"]]
                              for c in f[k]] for k in ("consequences", "changes") if f.get(k)})
                  for f in report.get("findings", [])])


def build(directory):
    done = subprocess.run(
        [sys.executable, os.path.join(EXAMPLE, "run.py"), "--build", directory],
        capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"FAIL: ops.cu does not compile\n{done.stdout}{done.stderr}")
    return done.stdout.strip().splitlines()[-1]


def check():
    """Prints and counts problems."""
    known, wrong = operators(), 0
    for name in {*REFUSED, *SILENT, *AGAIN} - {*known}:
        print(f"{name}: no such operator")
        wrong += 1
    for name in known:
        wanted = [REFUSED[name]] if name in REFUSED else SILENT.get(name, [])
        here = [(kind, code or 0) for _, kind, code in markers(SOURCE, name)]
        if here != [(w["kind"], w.get("code", 0)) for w in wanted]:
            print(f"{name}: markers {here}, expected {wanted}")
            wrong += 1
    print(f"{len(known)} operators, {wrong} wrong")
    return wrong


def version_of_torch():
    done = subprocess.run([sys.executable, "-c", "import torch; print(torch.__version__)"],
                          capture_output=True, text=True)
    return done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("\n\n")[0].removeprefix("usage: "))
    parser.add_argument("--probe")
    parser.add_argument("--output")
    parser.add_argument("--keep")
    parser.add_argument("--library")
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=min(8, os.cpu_count() or 1))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check:
        sys.exit(check() != 0)
    if not options.probe:
        parser.error("--probe is needed")
    if not importlib.util.find_spec("torch"):
        print("no PyTorch: its examples are skipped")
        return

    chosen = [c for c in cases() if options.filter in f"{c[0]} {c[3]['argument']}"]
    with tempfile.TemporaryDirectory() as scratch:
        options.keep = options.keep or scratch
        os.makedirs(options.keep, exist_ok=True)
        options.library = options.library or build(os.path.join(scratch, "build"))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            done = list(pool.map(lambda c: run(*c, options), chosen))
        machine = {}
        for name in sorted(os.listdir(options.keep)):
            if name.endswith(".json") and not machine.get("gpu"):
                with open(os.path.join(options.keep, name)) as f:
                    machine = machine_of(json.load(f))

    failed = 0
    for result, errors in done:
        failed += bool(result["wrong"])
        print(f"{'FAIL' if result['wrong'] else 'PASS'}: {result['entry']} "
              f"{result['variant']}{' again' if result.get('again') else ''}")
        for w in result["wrong"]:
            print(f"  {w}")
        if result["wrong"]:
            print("  | " + "\n  | ".join(errors.strip().splitlines()[-8:]))
    if options.output:
        machine["torch"] = version_of_torch()
        with open(options.output, "w") as f:
            f.write(json.dumps(machine)[:-1] + ', "cases": [\n')
            f.write(",\n".join(json.dumps(result) for result, _ in done) + "\n]}\n")
    print(f"{len(done) - failed} of {len(done)} cases passed")
    sys.exit(1 if failed or not done else 0)


if __name__ == "__main__":
    main()
