# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds and runs the labeled programs of test/accuracy/programs, for run_confirm.py and
run_quiet.py. main() of each program demonstrates its label."""

import concurrent.futures
import glob
import json
import os
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.append(os.path.join(ROOT, "test", "accuracy"))
from accuracy import half_of  # noqa: E402

LIBRARIES = ["cuda", "cublas", "cublasLt", "cufft", "curand", "cusparse", "cusolver", "nvrtc",
             "dl", "pthread"]


def command(*args, timeout=120, **more):
    """The finished process, or None if it ran too long."""
    try:
        return subprocess.run(args, capture_output=True, text=True, errors="replace",
                              timeout=timeout, **more)
    except subprocess.TimeoutExpired:
        return None


def half(source):
    return half_of(source[:-3].rpartition("_")[0])


def is_open(source):
    """Whether developers may read the program."""
    return half(source) == "open"


def gpu():
    done = command("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
    return done.stdout.strip().splitlines()[0] if done and done.stdout.strip() else None


def sources_in(options):
    """The programs FOLDER/NAME.cu in --sources that --half and --only select."""
    found = [os.path.relpath(path, options.sources)
             for path in sorted(glob.glob(os.path.join(options.sources, "*", "*.cu")))]
    return [source for source in found if options.half in ("all", half(source))
            and any(name in source for name in options.only or [""])]


def build(options, source):
    """The program of a source, or None. A program that is newer than its source is kept."""
    output = os.path.join(options.build, source[:-3])
    path = os.path.join(options.sources, source)
    if os.path.exists(output) and os.path.getmtime(output) > os.path.getmtime(path):
        return output
    os.makedirs(os.path.dirname(output), exist_ok=True)
    done = command("nvcc", "-g", "-std=c++17", "-arch=native", "-o", output, path,
                   *(f"-l{name}" for name in LIBRARIES), timeout=300)
    if done is None or done.returncode:
        print(f"{source}: not built", done.stderr[-300:] if done else "", file=sys.stderr)
        return None
    return output


def build_all(options, sources):
    """The pairs (source, program) of those that could be built."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        programs = list(pool.map(lambda source: build(options, source), sources))
    return [(source, program) for source, program in zip(sources, programs) if program]


def run_all(options, built, run):
    """The results of run(options, source, program)."""
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        return list(pool.map(lambda each: run(options, *each), built))


def difference(program, folder, with_probe):
    """Compares a run under the probe (None if it took too long) with two runs without
    it. Returns the first run without it, and '' if the output is the same, 'varies' if
    the two runs differ, or else the differences, with both texts in
    PROGRAM.difference.json. The probe's own text follows the program's."""
    bare, again = (command(program, cwd=folder) for _ in range(2))
    if bare is None or again is None or with_probe is None:
        return bare, "" if bare is again is with_probe is None else "time"
    # Like a shell, the probe returns 128 + N for signal N.
    statuses = [done.returncode if done.returncode >= 0 else 128 - done.returncode
                for done in (bare, again, with_probe)]
    same = statuses[0] == statuses[1]
    if not same or (bare.stdout, bare.stderr) != (again.stdout, again.stderr):
        return bare, "varies"
    told = [what for what, differs in (
        ("status", statuses[0] != statuses[2]),
        ("stdout", bare.stdout != with_probe.stdout),
        ("stderr", not with_probe.stderr.startswith(bare.stderr))) if differs]
    if told:
        with open(program + ".difference.json", "w") as f:
            json.dump({name: dict(status=done.returncode, stdout=done.stdout, stderr=done.stderr)
                       for name, done in (("without", bare), ("with", with_probe))}, f, indent=1)
    return bare, ", ".join(told)


def add_options(parser, *paths):
    for name in paths:
        parser.add_argument(name, required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--at-once", type=int, default=4, help="programs that run")
    parser.add_argument("--half", choices=("open", "locked", "all"), default="open")
    parser.add_argument("--only", action="append", help="a part of the name")
    parser.add_argument("--output")
    parser.add_argument("--list", action="store_true")


def parse(parser, *paths):
    options = parser.parse_args()
    for name in paths:
        name = name.strip("-")
        if value := getattr(options, name):
            setattr(options, name, os.path.abspath(value))
    return options
