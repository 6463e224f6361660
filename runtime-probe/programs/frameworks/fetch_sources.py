#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: fetch_sources.py DIR [--from URL]. Fetches the sources that run_frameworks.py runs
into folders of DIR, at the commits in docs/frameworks.md; prints the options for the
folders. URL is the host of the repositories, https://github.com by default."""

import argparse
import os
import subprocess
import sys

SOURCES = [
    ("--megatron", "NVIDIA/Megatron-LM", "d98e8a64ddf34856e74b24714e3bedb2f5a39553"),
    ("--transformer-engine", "NVIDIA/TransformerEngine",
     "d0067d0da6cb01811b8072a7d304f0e00344ce2b"),
    ("--ggml", "ggml-org/ggml", "d99724f2b141fed9e1a9f402213506c081433465"),
]


def git(folder, *args):
    subprocess.run(["git", "-C", folder, *args], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--from", dest="url", default="https://github.com")
    options = parser.parse_args()
    found = []
    for option, name, commit in SOURCES:
        folder = os.path.join(os.path.abspath(options.folder), name.split("/")[1])
        os.makedirs(folder, exist_ok=True)
        try:
            git(folder, "init", "--quiet")
            git(folder, "fetch", "--quiet", "--depth", "1", f"{options.url}/{name}", commit)
            git(folder, "checkout", "--quiet", "FETCH_HEAD")
        except (OSError, subprocess.CalledProcessError) as e:
            sys.exit(f"fetch_sources.py: {options.url}/{name}: {e}; use --from for a different location")
        found += [option, folder]
    print(" ".join(found))


if __name__ == "__main__":
    main()
