# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs several copies of a command at the same time, with @ replaced by the number of
each.

  at_once.py COUNT COMMAND...

The exit status is the first that is not 0."""

import subprocess
import sys

copies = [subprocess.Popen([word.replace("@", str(n)) for word in sys.argv[2:]],
                           stderr=subprocess.DEVNULL)
          for n in range(int(sys.argv[1]))]
sys.exit(next(filter(None, [copy.wait() for copy in copies]), 0))
