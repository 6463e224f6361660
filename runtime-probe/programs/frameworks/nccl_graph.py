#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: nccl_graph.py CASE wrong|right. A C++ program that uses NCCL: nccl_graph.cpp, built
with the header and the library of the package nvidia-nccl. FRAMEWORKS_BUILD names a folder
for the program."""

import importlib.util
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def program():
    made = os.path.join(os.environ.get("FRAMEWORKS_BUILD", HERE), "nccl_graph")
    if not os.path.exists(made):
        nccl = list(importlib.util.find_spec("nvidia.nccl").submodule_search_locations)[0]
        libraries = os.path.join(nccl, "lib")
        subprocess.run(["nvcc", "-std=c++17", "-g", "-O1", "-I" + os.path.join(nccl, "include"),
                        "-o", made, os.path.join(HERE, "nccl_graph.cpp"),
                        "-L" + libraries, "-Xlinker=-l:libnccl.so.2",
                        "-Xlinker=-rpath," + libraries],
                       check=True)
    return made


if __name__ == "__main__":
    os.execv(program(), [program(), *sys.argv[1:]])
