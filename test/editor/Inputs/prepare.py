#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prepare.py DIRECTORY: copies project/ there and writes its compile database,
in nvcc's words as CMake writes them for Makefiles, into build/; a second one,
which defines ELSEWHERE, into elsewhere/."""

import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
out = os.path.realpath(sys.argv[1])
shutil.rmtree(out, ignore_errors=True)
shutil.copytree(os.path.join(HERE, "project"), out)
os.mkdir(os.path.join(out, "build"))
with open(os.path.join(out, "build", "includes_CUDA.rsp"), "w") as f:
    f.write(f"-I{out}/include\n")
# This acts as if there were no database, in a build directory below another
# one.
with open(os.path.join(out, ".clang-tidy"), "w") as f:
    f.write("Checks: ''\n")
NVCC = ("nvcc -forward-unknown-to-host-compiler --options-file includes_CUDA.rsp "
        "-gencode arch=compute_80,code=sm_80 -rdc true -Xcompiler -fPIC -x cu -c ")


def write(folder, options):
    os.makedirs(os.path.join(out, folder), exist_ok=True)
    with open(os.path.join(out, folder, "compile_commands.json"), "w") as f:
        json.dump([{"directory": out + "/build", "file": f"{out}/{name}",
                    "command": f"{NVCC}{options}{out}/{name} -o {name}.o"}
                   for name in sorted(os.listdir(out)) if name.endswith(".cu")], f)


write("build", "")
write("elsewhere", "-DELSEWHERE ")
