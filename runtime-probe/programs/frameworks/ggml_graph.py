#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: ggml_graph.py CASE wrong|right | --build. A ggml graph on the CUDA backend:
ggml_graph.cpp. GGML names a checkout of ggml, and FRAMEWORKS_BUILD names a folder for
the program; --build takes minutes to build ggml's libraries in the checkout."""

import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIONS = {
    "CMAKE_BUILD_TYPE": "Release", "CMAKE_CUDA_ARCHITECTURES": "native",
    "BUILD_SHARED_LIBS": "OFF", "GGML_CUDA": "ON", "GGML_CUDA_GRAPHS": "ON",
    # Options that the program does not need:
    "GGML_CUDA_FA": "OFF", "GGML_CUDA_NCCL": "OFF", "GGML_NATIVE": "OFF",
    "GGML_OPENMP": "OFF", "GGML_LLAMAFILE": "OFF", "GGML_CPU_REPACK": "OFF",
    "GGML_BUILD_TESTS": "OFF", "GGML_BUILD_EXAMPLES": "OFF",
}


def build(ggml):
    made = os.path.join(ggml, "build")
    subprocess.run(["cmake", "-S", ggml, "-B", made,
                    *(f"-D{name}={value}" for name, value in OPTIONS.items())], check=True)
    subprocess.run(["cmake", "--build", made, "--parallel", str(os.cpu_count())], check=True)


def program(ggml):
    folder = os.environ.get("FRAMEWORKS_BUILD", HERE)
    made = os.path.join(folder, "ggml_graph")
    if not os.path.exists(made):
        new = f"{made}.{os.getpid()}"  # other processes may compile it
        libraries = glob.glob(os.path.join(ggml, "build", "src", "**", "*.a"), recursive=True)
        # nvcc finds the toolkit's libraries.
        subprocess.run(["nvcc", "-std=c++17", "-g", "-O1", "-I" + os.path.join(ggml, "include"),
                        "-o", new, os.path.join(HERE, "ggml_graph.cpp"),
                        "-Xlinker=--start-group", *libraries, "-Xlinker=--end-group",
                        "-lcublas", "-lcuda", *os.environ.get("NVCC_LINK_FLAGS", "").split()],
                       check=True)
        os.replace(new, made)
    return made


def main(arguments):
    ggml = os.environ.get("GGML", "")
    if arguments == ["--build"]:
        return build(ggml)
    made = program(ggml)
    os.execv(made, [made, *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
