#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""several.py COUNT COMMAND...: runs COMMAND COUNT times concurrently and fails unless
all exit with the same status and print the same. Prints the output and the status."""

import subprocess
import sys

count, command = int(sys.argv[1]), sys.argv[2:]
runs = [subprocess.Popen(command, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
        for _ in range(count)]
seen = {run.communicate() + (run.returncode,) for run in runs}
for out, err, status in seen:
    print(err + out + f"exit status: {status}")
if len(seen) != 1:
    sys.exit(f"{len(seen)} different results")
