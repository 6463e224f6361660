#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: run_hazards.py --programs DIR --output FILE

Runs the programs of this folder, built into DIR under the names of their sources, and
writes their results (Hazard.h) as one JSON document. Exits with 1 if a program is
missing, fails, or does not end."""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys

LIMIT = 60  # seconds for a program
HERE = os.path.dirname(os.path.abspath(__file__))


def said(*command):
    """The output of a command; empty if it does not exist or fails."""
    if not shutil.which(command[0]):
        return ""
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    return done.stdout.strip() if not done.returncode else ""


def toolkit(program):
    """nvcc's version, or that of the runtime the program was compiled with."""
    version = re.search(r"V([\d.]+)", said("nvcc", "--version"))
    if version:
        return version[1]
    number = said(program, "--toolkit")
    return f"{int(number) // 1000}.{int(number) % 1000 // 10}" if number else None


def run(program):
    """Returns the variants, and the error or None."""
    if not os.path.exists(program):
        return [], "is not built"
    try:
        done = subprocess.run([program], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired as end:
        text = end.stdout or ""
        return lines(text if isinstance(text, str) else text.decode()), "does not end"
    wrong = f"ended with {done.returncode}" if done.returncode else None
    return lines(done.stdout), wrong or (None if done.stdout else "printed nothing")


def lines(text):
    found = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:  # cut off
            pass
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", required=True)
    parser.add_argument("--output", required=True)
    options = parser.parse_args()

    names = sorted(os.path.splitext(os.path.basename(path))[0]
                   for path in glob.glob(os.path.join(HERE, "*.cu")))
    variants, failed = [], 0
    for name in names:
        seen, wrong = run(os.path.join(options.programs, name))
        variants += seen
        failed += bool(wrong)
        if wrong:
            print(f"FAIL: {name} {wrong}", file=sys.stderr)
        for v in seen:
            if v["differs"] == v["variant"].endswith(("-cured", "-legal")):
                print(f"  {json.dumps(v)}", file=sys.stderr)

    card = said("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    gpu, driver = ([part.strip() for part in card.splitlines()[0].split(",")]
                   if card else (None, None))
    document = dict(gpu=gpu, driver=driver,
                    toolkit=toolkit(os.path.join(options.programs, names[0])),
                    variants=variants)
    with open(options.output, "w") as f:
        json.dump(document, f, indent=1)
        f.write("\n")
    differ = sum(v["differs"] for v in variants)
    print(f"{len(names) - failed} of {len(names)} programs passed: {len(variants)} "
          f"variants, {differ} of which differ")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
