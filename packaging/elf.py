#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the system requirements of programs and libraries: the newest version of glibc's
symbols, and the libraries that are not part of glibc.

usage: elf.py FILE...   prints a line for each; status 1 if a library is not glibc's
"""

import os
import re
import subprocess
import sys

GLIBC = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1",
         "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def is_elf(path):
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as f:
        return f.read(4) == b"\x7fELF"


def wants(path):
    """Returns the newest version, as a pair of numbers, and the other libraries."""
    text = subprocess.run(["readelf", "-W", "--dynamic", "--version-info", path],
                          capture_output=True, text=True, check=True,
                          env=dict(os.environ, LC_ALL="C")).stdout
    versions = {tuple(map(int, v)) for v in
                re.findall(r"Name: GLIBC_(\d+)\.(\d+)", text)}
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", text))
    return max(versions, default=(2, 0)), sorted(needed - GLIBC)


def main(paths):
    status = 0
    for path in paths:
        (major, minor), others = wants(path)
        print(f"{os.path.basename(path)}: GLIBC_{major}.{minor}",
              *(f"needs {name}" for name in others))
        status |= bool(others)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
