#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Runs the libFuzzer targets of a build, each over its seeds and then for a limited
number of runs or time. Exit status 1 if one of them has a find, which is then in the directory
--out. See README.md."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Files of other tests that serve as seeds, in addition to seeds/TARGET.
OTHERS = {
    "catalogue": ["checks/catalogue/data/nccl.json", "checks/catalogue/data/outcomes.json"],
    "trace": ["test/probe/Inputs/prelude.jsonl"],
}


def summaries(driver, folder):
    """Summaries depend on the version of the format, so they are created here."""
    sources = sorted((HERE / "seeds" / "summary").glob("*.cu"))
    for source in sources:
        subprocess.run([driver, "summarize", "--cuda-path=mock", "--quiet", "-o",
                        str(folder / (source.stem + ".sum")), str(source), "--", "-w"],
                       check=True)


def fuzz(target, args, folder):
    """Runs one target; returns its line of figures, and whether it found nothing."""
    name = target.name
    corpus, seeds = folder / name, folder / (name + "-seeds")
    corpus.mkdir()
    seeds.mkdir()
    own = HERE / "seeds" / name
    for file in sorted(own.iterdir()) if own.exists() else []:
        if name != "summary":
            shutil.copy(file, seeds)
    for other in OTHERS.get(name, []):
        shutil.copy(ROOT / other, seeds)
    if name == "summary":
        summaries(args.driver, seeds)
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    command = [str(target), str(corpus), str(seeds), f"-artifact_prefix={out}/{name}-",
               "-rss_limit_mb=2048", "-timeout=30", "-print_final_stats=1", "-seed=1",
               "-verbosity=1", "-max_len=65536" if name in ("summary", "symbols") else "-max_len=16384"]
    if (HERE / "dictionaries" / name).exists():
        command.append(f"-dict={HERE / 'dictionaries' / name}")
    command.append(f"-runs={args.runs}" if args.runs else f"-max_total_time={args.seconds}")
    env = dict(os.environ)
    env["ASAN_OPTIONS"] = "detect_leaks=0:detect_container_overflow=0:allocator_may_return_null=0"
    env["UBSAN_OPTIONS"] = "print_stacktrace=1:halt_on_error=1"
    begin, before = time.monotonic(), os.times()
    result = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, cwd=folder)
    # On a busy machine, CPU time differs considerably from elapsed time.
    after = os.times()
    busy = (after.children_user + after.children_system
            - before.children_user - before.children_system)
    said = result.stdout.decode(errors="replace")
    runs = re.search(r"number_of_executed_units:\s+(\d+)", said)
    covered = re.findall(r"cov: (\d+)", said)
    peak = re.search(r"peak_rss_mb:\s+(\d+)", said)
    print(f"{name}: {runs.group(1) if runs else '?'} runs, "
          f"{covered[-1] if covered else '?'} edges, "
          f"{peak.group(1) if peak else '?'} MiB, {time.monotonic() - begin:.0f} s, {busy:.0f} s of processor time: "
          f"{'nothing found' if result.returncode == 0 else 'FOUND'}", flush=True)
    if result.returncode:
        (out / f"{name}.txt").write_text(said)
        print(said[-6000:])
    return result.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build directory, of the preset fuzz")
    parser.add_argument("--target", action="append",
                        help="run only this target; can be repeated")
    parser.add_argument("--runs", type=int, default=0, help="runs of each target")
    parser.add_argument("--seconds", type=int, default=60, help="seconds for each target")
    parser.add_argument("--driver", help="the cudagraph-tidy that creates summaries")
    parser.add_argument("--out", default="finds", help="directory for finds")
    args = parser.parse_args()
    args.out = str(Path(args.out).absolute())
    build = Path(args.build).absolute()
    args.driver = str(Path(args.driver or build / "bin" / "cudagraph-tidy").absolute())
    targets = sorted(p for p in (build / "bin" / "fuzz").glob("*") if p.is_file())
    if args.target:
        targets = [p for p in targets if p.name in args.target]
    if not targets:
        sys.exit(f"{build} has no fuzz targets; build the preset 'fuzz'")
    with tempfile.TemporaryDirectory() as folder:
        good = [fuzz(target, args, Path(folder)) for target in targets]
    print(f"{len(good)} targets, {good.count(False)} with finds")
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
