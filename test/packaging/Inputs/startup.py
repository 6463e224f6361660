# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shortest of thirty runs of a command, by processor time, because wall time
includes other work on the machine. usage: startup.py MILLISECONDS COMMAND..."""

import os
import subprocess
import sys


def once(command):
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    used = os.wait4(started.pid, 0)[2]
    return 1000 * (used.ru_utime + used.ru_stime)


shortest = min(once(sys.argv[2:]) for _ in range(30))
limit = float(sys.argv[1])
print("quick" if shortest <= limit else f"{shortest:.1f} ms, more than {limit}")
