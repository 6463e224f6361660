#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Prints a source with 30 findings."""

print("void capture(cudaStream_t s) {\n  cudaGraph_t graph;\n"
      "  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);")
for i in range(30):
    print("  cudaStreamSynchronize(s);")
print("  cudaStreamEndCapture(s, &graph);\n}")
