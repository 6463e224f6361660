#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""outside.py COMMAND...: runs COMMAND in an empty directory that is below no
compile database, with @ for that directory, and exits as it does."""

import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as directory:
    with open(f"{directory}/lone.cu", "w") as f:
        f.write("void f(cudaStream_t s) { cudaStreamSynchronize(s); }\n")
    command = [a.replace("@", directory) for a in sys.argv[1:]]
    sys.exit(subprocess.run(command, cwd=directory).returncode)
