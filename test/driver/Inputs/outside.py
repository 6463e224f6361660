#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""outside.py COMMAND...: runs COMMAND in an empty directory without a compile database
in or above it; @ stands for that directory. Exits with the status of COMMAND."""

import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as directory:
    with open(f"{directory}/lone.cu", "w") as f:
        f.write("void f(cudaStream_t s) { cudaStreamSynchronize(s); }\n")
    command = [a.replace("@", directory) for a in sys.argv[1:]]
    sys.exit(subprocess.run(command, cwd=directory).returncode)
