#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""streams.py STATUS STREAMS COMMAND...: runs COMMAND with these standard streams
(digits) closed, and fails unless its exit status is STATUS."""

import os
import sys

expected, streams, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
child = os.fork()
if child == 0:
    for stream in streams:
        os.close(int(stream))
    os.execv(command[0], command)
_, status = os.waitpid(child, 0)
code = os.waitstatus_to_exitcode(status)
if code != expected:
    sys.exit(f"exit status {code}, expected {expected}")
