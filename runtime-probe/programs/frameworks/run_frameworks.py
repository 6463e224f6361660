#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: run_frameworks.py --probe PROBE [--output FILE] [--texts FILE] [--filter TEXT]
                         [--jobs N] [--megatron DIR] [--transformer-engine DIR]
                         [--ggml DIR] | --check

Runs the wrong and the right variant of each program of this folder, without and with the
probe. The results must be the same; the wrong variant must be reported at its marked line
with the place to change and a remedy, and the right one must have no finding. A program
with missing packages or sources is skipped with a message. Exits with 1 if one differs.

  --megatron DIR, --transformer-engine DIR
                  checkouts of Megatron-LM and Transformer Engine: fetch_sources.py
  --ggml DIR      a checkout of ggml that `ggml_graph.py --build` has built
  --check         needs neither probe nor GPU: programs, cases, and markers agree"""

import argparse
import concurrent.futures
import functools
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from framework_cases import CASES  # noqa: E402
from run_gpu import machine_of  # noqa: E402

MARKER = re.compile(r"(?://|#) (BREAKS|FINDS|MOVES) ?(\S*) (\S+)$")
# The option that names the folder of a source, and what is in that folder.
SOURCES = {"MEGATRON": ("megatron", "megatron"),
           "TRANSFORMER_ENGINE": ("transformer_engine", "transformer_engine"),
           "GGML": ("ggml", "build/src")}
LIBRARIES = ("-packages/", "/lib/python3.", "/megatron/", "/transformer_engine/")
# The messages of these kinds end with the remedy; for a refused call, a note may contain it.
TOLD = {"thrown", "autocast-cache", "rebound-tensor", "skipped-hook", "warm-up",
        "communicator", "ranks-differ", "freed-memory", "overwritten-output"}
LIMIT = 240  # seconds for a program


def markers(case):
    """Returns the line, kind, and code of each marker; the kind None marks a place to
    change."""
    found, want = [], f"{case['case']}-wrong"
    with open(os.path.join(HERE, case["marked"])) as f:
        for number, text in enumerate(f, 1):
            m = MARKER.search(text.rstrip())
            if m and m[3] in (want, "wrong"):
                kind = {"BREAKS": "refused", "MOVES": None}.get(m[1], m[2])
                found.append((number, kind, int(m[2]) if m[2].isdigit() else None))
    return found


def places(finding):
    """Returns the files and lines of a finding: its location, and its innermost Python
    frame in the program."""
    found = [finding.get("location") or {}]
    found += [f for f in finding.get("python", [])
              if not any(part in f["file"] for part in LIBRARIES)][:1]
    return {(os.path.basename(f.get("file") or ""), f.get("line")) for f in found}


def notes(finding):
    return {(os.path.basename(o["location"]["file"]), o["location"]["line"])
            for o in finding.get("related", []) if o.get("location")}


def cure(finding):
    """The remedy that the finding states, or an empty string."""
    if finding.get("remedy"):
        return finding["remedy"]["text"]
    if finding["kind"] in TOLD:
        return re.split("[:;] ", finding["message"])[-1]
    return next((text for o in finding.get("related", []) if o.get("location")
                 for text in re.split("[:;] ", o["message"])[1:]), "")


def judge(case, variant, report):
    """All errors."""
    left = [f for f in report.get("findings", []) if f["kind"] != "environment"]
    marked = markers(case)
    for want in case["finds"] if variant == "wrong" else []:
        same = [f for f in left if f["kind"] == want["kind"]
                and want["code"] in (None, f["code"])]
        lines = {(case["marked"], line) for line, kind, _ in marked if kind == want["kind"]}
        moves = {(case["marked"], line) for line, kind, _ in marked if kind is None}
        good = [f for f in same if places(f) & lines and moves <= notes(f)]
        if not same:
            yield f"no finding {want['kind']} {want['code'] or ''}".rstrip()
        elif not good:
            yield (f"{want['kind']} is at {sorted(map(str, places(same[0])))}, with notes at "
                   f"{sorted(map(str, notes(same[0])))}, not {sorted(lines)} and {sorted(moves)}")
        elif not cure(good[0]):
            yield f"no remedy: {good[0]['message'][:160]}"
        left = [f for f in left if f not in (good or same)]
    for f in left:
        if f.get("severity") != "remark" and not (variant == "wrong"
                                                   and f["kind"] in case["also"]):
            yield f"unexpected {f['kind']}: {f['message'][:160]} at {sorted(map(str, places(f)))}"


def execute(command, environment):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT,
                              env=environment, cwd=HERE)
    except subprocess.TimeoutExpired:
        return None, "", "does not end"
    return done.returncode, done.stdout, done.stderr


def environment_of(options, number):
    def folder(name):
        path = os.path.join(options.scratch, name)
        os.makedirs(path, exist_ok=True)
        return path

    return {"TORCHINDUCTOR_COMPILE_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1",
            **os.environ, "MEGATRON": options.megatron or "",
            "TRANSFORMER_ENGINE": options.transformer_engine or "",
            "GGML": os.path.abspath(options.ggml or ""),
            "MASTER_PORT": str(29600 + number),
            "TORCHINDUCTOR_CACHE_DIR": folder(f"inductor{number}"),
            "FRAMEWORKS_BUILD": folder(f"build{number}")}


def run(number, case, variant, options):
    environment = environment_of(options, number)
    report = os.path.join(options.scratch, f"{number}.json")
    program = [sys.executable, os.path.join(HERE, case["program"]), case["case"], variant]
    if case.get("ranks"):
        program[1:1] = ["-m", "torch.distributed.run", f"--nproc-per-node={case['ranks']}",
                        f"--master-port={29700 + number}"]
    status, out, errors = execute(program, environment)
    wrong = []
    probed, out_probed, text = execute(
        [options.probe, "run", "--output", report, "--", *program], environment)
    if (status, out) != (probed, out_probed):
        wrong.append(f"status {status}, {out!r}; under the probe {probed}, {out_probed!r}")
    if status != 0:
        wrong.append(f"status {status}: " + errors[-600:])
    data = {}
    if os.path.exists(report):
        with open(report) as f:
            data = json.load(f)
        wrong += judge(case, variant, data)
    else:
        wrong.append("no report")
    return dict(program=case["program"], case=case["case"], variant=variant, wrong=wrong,
                status=status, out=out, **essence(data)), text, data


def essence(report):
    """A report without addresses or machine-specific paths."""
    return dict(
        captures=[dict(name=c.get("name"), outcome=c["outcome"], nodes=c["nodes"])
                  for c in report.get("captures", [])][:8],
        findings=[dict(kind=f["kind"], severity=f["severity"], code=f["code"], api=f["api"],
                       message=re.sub(r"0x[0-9a-f]+", "0x", f["message"]),
                       remedy=cure(f), places=sorted(f"{n}:{line}" for n, line in places(f)),
                       notes=sorted(f"{n}:{line}" for n, line in notes(f)))
                  for f in report.get("findings", [])])


@functools.cache
def gpus():
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout
    except OSError:
        return 0
    return sum(line.startswith("GPU ") for line in listed.splitlines())


def missing(case, options):
    for name in case["needs"]:
        try:
            found = importlib.util.find_spec(name)
        except ModuleNotFoundError:  # the package that contains it
            found = None
        if found is None:
            return f"no {name}"
    needed = case.get("ranks", case.get("gpus", 1))
    if needed > gpus():
        return f"fewer than {needed} GPUs"
    option, folder = SOURCES.get(case.get("source"), (None, None))
    if option and not os.path.isdir(os.path.join(getattr(options, option) or "", folder)):
        return f"no sources: --{option.replace('_', '-')} names their folder"
    return None


def check():
    wrong = 0
    for case in CASES:
        marked = markers(case)
        for want in case["finds"]:
            here = [m for m in marked if m[1] == want["kind"] and m[2] in (None, want["code"])]
            if len(here) != 1:
                print(f"{case['program']} {case['case']}: {len(here)} markers for {want}")
                wrong += 1
    print(f"{len(CASES)} cases, {wrong} wrong markers")
    return wrong


def versions():
    from importlib import metadata

    found = {}
    for name in ("torch", "transformers", "jax", "cupy-cuda13x", "nvidia-nccl-cu13"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("--probe", "--output", "--texts", "--megatron", "--transformer-engine",
                 "--ggml"):
        parser.add_argument(name)
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=6)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check:
        sys.exit(check() != 0)
    if not options.probe:
        parser.error("--probe is needed")
    options.probe = os.path.abspath(options.probe)
    work = []
    for case in CASES:
        why = missing(case, options)
        if why:
            print(f"SKIP: {case['program']} {case['case']}: {why}")
        elif options.filter in f"{case['program']} {case['case']}":
            work += [(case, variant) for variant in ("wrong", "right")]
    results, texts, failed, machine = [], [], 0, {}
    with tempfile.TemporaryDirectory() as scratch:
        options.scratch = scratch
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            jobs = [pool.submit(run, n, *each, options) for n, each in enumerate(work)]
            for job in concurrent.futures.as_completed(jobs):
                result, text, data = job.result()
                name = " ".join(result[k] for k in ("program", "case", "variant"))
                failed += bool(result["wrong"])
                print(f"{'FAIL' if result['wrong'] else 'PASS'}: {name}", flush=True)
                for each in result["wrong"]:
                    print(f"  {each}", flush=True)
                results.append(result)
                texts.append(f"=== {name}\n{text}\n")
                machine = machine if machine.get("gpu") else machine_of(data)
    results.sort(key=lambda r: (r["program"], r["case"], r["variant"]))
    if options.output:
        with open(options.output, "w") as f:
            f.write(json.dumps({**machine, "versions": versions()})[:-1] + ', "cases": [\n')
            f.write(",\n".join(map(json.dumps, results)) + "\n]}\n")
    if options.texts:
        with open(options.texts, "w") as f:
            f.write("\n".join(sorted(texts)))
    print(f"{len(results) - failed} of {len(results)} variants are as expected")
    sys.exit(1 if failed or not results and not options.filter else 0)


if __name__ == "__main__":
    main()
