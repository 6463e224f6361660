#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""long.py DIRECTORY: writes a project whose names have maximum length and no line break
opportunities, and prints the file to analyze."""

import os
import sys

LONG = 400


def name(stem, length=LONG):
    """A name of LENGTH characters without a space."""
    return (stem + "_w" * length)[:length]


# A component of a path has at most 255 bytes.
where = os.path.join(sys.argv[1], name("directory", 150), name("another", 150))
os.makedirs(where, exist_ok=True)
source = os.path.join(where, name("unit", 200) + ".cu")
stream, side, event = name("stream"), name("side"), name("event")
kernel, function, type_ = name("kernel"), name("function"), name("Type")

lines = [
    f"template <typename T> __global__ void {kernel}(T *x, int n);",
    f"struct {type_} {{",
    f"  cudaStream_t {side};",
    f"  cudaEvent_t {event};",
    f"  template <typename T> void {function}(T *x, cudaStream_t s) {{",
    "    float *scratch;",
    "    cudaMalloc(&scratch, sizeof(float));",
    f"    {kernel}<{type_}><<<1, 1>>>(nullptr, 1);",
    f"    {kernel}<T><<<1, 1, 0, {side}>>>(x, 2);",
    f"    cudaStreamSynchronize({side});",
    "    cudaMemcpy(x, scratch, 4, cudaMemcpyDeviceToDevice);",
    "  }",
    "};",
    f"template <typename T> void {name('region')}(T *x, cudaGraph_t *graph) {{",
    f"  cudaStream_t {stream};",
    f"  cudaStreamCreateWithFlags(&{stream}, cudaStreamNonBlocking);",
    f"  {type_} object;",
    f"  cudaStreamBeginCapture({stream}, cudaStreamCaptureModeGlobal);",
    f"  cudaEventRecord(object.{event}, {stream});",
    f"  cudaStreamWaitEvent(object.{side}, object.{event}, 0);",
    f"  object.{function}(x, {stream});",
    f"  cudaStreamSynchronize({stream});",
]
# More lanes than the drawing has colors.
for i in range(9):
    lane = name(f"lane_{i}", 60)
    lines += [f"  cudaStream_t {lane};", f"  cudaStreamCreateWithFlags(&{lane}, cudaStreamNonBlocking);",
              f"  cudaStreamWaitEvent({lane}, object.{event}, 0);", f"  {kernel}<T><<<1, 1, 0, {lane}>>>(x, {i});"]
lines += [
    f"  cudaStreamEndCapture({stream}, graph);",
    "}",
    f"void {name('caller')}(cudaGraph_t *graph) {{ {name('region')}<{type_}>(nullptr, graph); }}",
    f"void {name('unparsed')}() {{ {name('undeclared')}(); }}",
]
with open(source, "w") as f:
    f.write("\n".join(lines) + "\n")
sys.stdout.write(source)
