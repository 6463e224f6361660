#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: run_confirm.py --probe PROBE --findings DIR --sources DIR --build DIR
                      [--half open|locked|all] [--traces DIR] [--jobs N] [--at-once N]
                      [--output FILE] [--list]

Counts what `PROBE confirm` reports for findings about replays, on programs whose main() demonstrates the label (test/accuracy/programs). DIR of --findings has FOLDER/NAME.json
of `cudagraph-tidy --format=json`, made in the folder of --sources, for FOLDER/NAME.cu.
Programs without such findings are skipped; the others are built into --build and
run. Figures only, by folder: a finding that accuracy.py counts as found, or with a note
at a HAZARD comment, is correct, and a correct one that is refuted is an error of the probe;
--list prints each finding of the open half of the programs, which people may read.
--traces keeps the trace of each run in DIR/FOLDER/NAME, for `PROBE report`."""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import subprocess
import sys

from run_gpu import machine_of

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.append(os.path.join(ROOT, "test", "accuracy"))
from accuracy import half_of, labels_of, lines_of  # noqa: E402

LIBRARIES = ["cuda", "cublas", "cublasLt", "cufft", "curand", "cusparse", "cusolver", "nvrtc",
             "dl", "pthread"]
STATUSES = ("confirmed", "refuted", "not-reproduced", "not-watched", "not-executed")
SILENT = ("stale", "dangling", "refused launch")


def kind_of(finding):
    """One of SILENT, or another kind of outcome."""
    if "at the second launch of the graph" in finding["message"]:
        return "refused launch"
    ignored = finding["check"] == "cudagraph-ignored-result"
    return "other" if ignored else finding["outcome"]["kind"]


def silent(finding):
    return kind_of(finding) in SILENT


def command(*args, timeout=120, **more):
    try:
        return subprocess.run(args, capture_output=True, text=True, timeout=timeout, **more)
    except subprocess.TimeoutExpired:
        return None


def half(source):
    return half_of(source[:-3].rpartition("_")[0])


def is_open(source):
    """Whether developers may read the program."""
    return half(source) == "open"


def findings_of(options, source):
    """The findings, or None if the program was not analyzed."""
    path = os.path.join(options.findings, source[:-3] + ".json")
    if not os.path.exists(path):
        return None
    with open(path) as f:
        return json.load(f)["findings"]


def is_right(finding, labels):
    """Decides like accuracy.py, and also accepts a note at a marked line, such as the
    line that changes a value."""
    marked = {line for _, lines in labels.values() for line in lines}
    notes = {n["location"]["line"] for n in finding["notes"] if n["location"]}
    return bool(marked & (lines_of(finding) | notes))


def gpu():
    done = command("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
    return done.stdout.strip().splitlines()[0] if done and done.stdout.strip() else None


def build(options, source):
    """The program of a source, or None."""
    output = os.path.join(options.build, source[:-3])
    os.makedirs(os.path.dirname(output), exist_ok=True)
    done = command("nvcc", "-g", "-std=c++17", "-arch=native", "-o", output,
                   os.path.join(options.sources, source), *(f"-l{n}" for n in LIBRARIES),
                   timeout=300)
    if done is None or done.returncode:
        print(f"{source}: not built", done.stderr[-300:] if done else "", file=sys.stderr)
        return None
    return output


def confirm(options, source, program):
    """(findings with their confirmation, whether the label is shown with the probe, and
    without it)"""
    folder = os.path.dirname(program)
    bare = command(program, cwd=folder)
    without = bool(bare) and "LABEL CONFIRMED" in bare.stdout
    output, keep = program + ".confirmed.json", []
    if options.traces:
        keep = ["--trace", os.path.join(options.traces, source[:-3])]
        os.makedirs(os.path.dirname(keep[1]), exist_ok=True)
    done = command(options.probe, "confirm", "--format=json", "--output", output, *keep,
                   os.path.join(options.findings, source[:-3] + ".json"), "--", program,
                   cwd=folder)
    if done is None or not os.path.exists(output):
        print(f"{source}: no result", done.stderr[-300:] if done else "ran too long",
              file=sys.stderr)
        return [], False, without
    with open(output) as f:
        joined = json.load(f)["findings"]
    with open(os.path.join(options.sources, source)) as f:
        labels = labels_of(f.read())
    found = []
    for a, b in zip(findings_of(options, source), joined):
        if not silent(a):
            continue
        found.append(dict(kind=kind_of(a), check=a["check"],
                          right=is_right(a, labels),
                          place=f"{source}:{a['location']['line']}",
                          status=b["confirmation"]["status"], note=b["confirmation"]["note"]))
    return found, "LABEL CONFIRMED" in done.stdout, without


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("--probe", "--findings", "--sources", "--build"):
        parser.add_argument(name, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--at-once", type=int, default=4, help="programs that run")
    parser.add_argument("--half", choices=("open", "locked", "all"), default="open")
    parser.add_argument("--traces")
    parser.add_argument("--output")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    for name in ("probe", "findings", "sources", "build"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    if options.traces:
        options.traces = os.path.abspath(options.traces)

    sources = []
    for path in sorted(glob.glob(os.path.join(options.sources, "*", "*.cu"))):
        source = os.path.relpath(path, options.sources)
        if options.half in ("all", half(source)) and any(
                map(silent, findings_of(options, source) or [])):
            sources.append(source)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        programs = list(pool.map(lambda s: build(options, s), sources))
    built = [(s, p) for s, p in zip(sources, programs) if p]
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        results = list(pool.map(lambda sp: confirm(options, *sp), built))

    table, labels, without = collections.Counter(), 0, 0
    for (source, _), (found, label, bare) in zip(built, results):
        labels += label
        without += bare
        if label != bare:
            print(f"{source if is_open(source) else 'a program'}: shows its label "
                  f"{'with' if label else 'without'} the probe only")
        for f in found:
            folder = source.split("/")[0]
            table[folder, f["kind"], f["right"], f["status"]] += 1
            if options.list and is_open(source):
                print(f"{f['place']}: {f['check']} right={f['right']}: {f['note']}")
    count = lambda **want: sum(
        n for key, n in table.items()
        if all(dict(zip(("folder", "kind", "right", "status"), key))[k] == v
               for k, v in want.items()))
    executed = count() - count(status="not-executed")
    decided = count(status="confirmed") + count(status="refuted")
    print(f"{len(built)} of {len(sources)} programs built, {labels} show their label under "
          f"the probe, {without} without it")
    for kind in SILENT:
        print(f"{kind}: " + ", ".join(f"{count(kind=kind, status=s)} {s}" for s in STATUSES))
    print(f"{decided} of {executed} executed are confirmed or refuted; right and refuted: "
          f"{count(right=True, status='refuted')}; wrong and confirmed: "
          f"{count(right=False, status='confirmed')}")
    if options.output:
        rows = [dict(folder=f, kind=k, right=r, status=s, findings=n)
                for (f, k, r, s), n in sorted(table.items())]
        with open(options.output, "w") as f:
            f.write(json.dumps(dict(machine_of(None), gpu=gpu(), half=options.half,
                                    programs=len(built), labels=labels,
                                    labels_without=without))[:-1]
                    + ', "findings": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}\n")
    sys.exit(0 if built else 1)


if __name__ == "__main__":
    main()
