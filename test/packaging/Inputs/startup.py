# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shortest of thirty runs of a command. usage: startup.py MILLISECONDS COMMAND..."""

import subprocess
import sys
import time


def once(command):
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return 1000 * (time.perf_counter() - begin)


shortest = min(once(sys.argv[2:]) for _ in range(30))
limit = float(sys.argv[1])
print("quick" if shortest <= limit else f"{shortest:.1f} ms, more than {limit}")
