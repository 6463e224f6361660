#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""readme.py ROOT BUILD WORK: follows README.md as a user with a CMake project, from the
section "Your project", and prints the results. The project is created in WORK. BUILD
replaces build/release of the README."""

import os
import re
import subprocess
import sys

root, build, work = sys.argv[1:]
with open(os.path.join(root, "README.md")) as f:
    section = f.read().split("## Your project")[1].split("\n## ")[0]
# The first block of commands, without its comments.
block = re.search(r"\n\n((?:    .*\n|\n)+)", section)[1]
script = [re.sub(r"\s+#.*", "", line).strip() for line in block.splitlines()]
script = "\n".join(line for line in script if line)
if "export PATH" not in script or "cmake -S" not in script or "cudagraph-tidy -p build" not in script:
    sys.exit("README.md does not describe how to analyze a CMake project:\n" + script)
script = script.replace("$PWD/build/release", build)

project = os.path.join(work, "your-project")
os.makedirs(project)
files = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\n"
                      "project(yours LANGUAGES CXX)\n"
                      "add_library(yours record.cpp finish.cpp)\n",
    "record.cpp": "#include <cuda_runtime.h>\n"
                  "void finish(cudaStream_t stream);\n"
                  "void record(cudaStream_t stream, cudaGraph_t *graph) {\n"
                  "  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal))\n"
                  "    return;\n"
                  "  finish(stream);\n"
                  "  (void)cudaStreamEndCapture(stream, graph);\n"
                  "}\n",
    "finish.cpp": "#include <cuda_runtime.h>\n"
                  "void finish(cudaStream_t stream) { cudaStreamSynchronize(stream); }\n",
}
for name, text in files.items():
    with open(os.path.join(project, name), "w") as f:
        f.write(text)
environment = dict(os.environ, HOME=work, XDG_CACHE_HOME=os.path.join(work, "cache"))
done = subprocess.run(["bash", "-euc", script + ' || echo "exit status $?"'], env=environment, cwd=root, text=True,
                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
print(done.stdout)
sys.exit(done.returncode)
