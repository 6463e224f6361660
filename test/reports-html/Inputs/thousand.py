#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Prints a source with a hundred regions of ten findings each."""

print("__global__ void kernel(float *x);")
for i in range(100):
    print(f"static void step{i}(cudaStream_t s, float *x) {{")
    for _ in range(10):
        print("  kernel<<<1, 1, 0, s>>>(x);\n  cudaStreamSynchronize(s);")
    print(f"}}\nvoid capture{i}(cudaGraph_t *g, float *x) {{\n  cudaStream_t s;")
    print("  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);")
    print("  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);")
    print(f"  step{i}(s, x);\n  cudaStreamEndCapture(s, g);\n}}")
