#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Writes a source whose lines are hard to print."""

import sys

call = b"cudaStreamSynchronize(s);"
lines = [
    b"void f(cudaStream_t s) {",
    b"  cudaGraph_t g;",
    b"  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);",
    b"\t" + call,
    b"  /* \xc3\xbc */ " + call,
    b"  /* \xff\x1b[31m */ " + call,
    b"  cudaStreamSynchronize(",
    b"      s);",
    b"/*" + b"x" * 1000000 + b" */ " + call + b" //" + b"y" * 1000,
    b"  cudaStreamEndCapture(s, &g);",
    b"}",
]
with open(sys.argv[1], "wb") as f:
    f.write(b"\n".join(lines) + b"\n")
