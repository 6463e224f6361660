#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: cupy_graph.py CASE wrong|right. CuPy captures."""

import sys

import cupy


def capture(stream, f):
    with stream:
        f()
        stream.synchronize()
        stream.begin_capture()
        try:
            f()
        except Exception as e:
            print(type(e).__name__)
        try:
            return stream.end_capture()
        except Exception as e:
            print(type(e).__name__)
    return None


def wait(right):
    x = cupy.ones(64, dtype=cupy.float32)
    y = cupy.empty_like(x)
    stream = cupy.cuda.Stream(non_blocking=True)

    def step():
        cupy.multiply(x, 2, out=y)
        if not right:
            cupy.cuda.get_current_stream().synchronize()  # BREAKS 900 wait-wrong
    graph = capture(stream, step)
    if graph is not None:
        graph.launch(stream)
        stream.synchronize()
        print(float(y.sum()))


def other_stream(right):
    x = cupy.ones(64, dtype=cupy.float32)
    double = cupy.RawKernel(
        'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }', "twice")
    stream = cupy.cuda.Stream(non_blocking=True)

    def step():
        if right:
            double((1,), (64,), (x,))
        else:
            with cupy.cuda.Stream.null:
                double((1,), (64,), (x,))  # FINDS escaped other_stream-wrong
    graph = capture(stream, step)
    if graph is not None:
        for _ in range(3):
            graph.launch(stream)
        stream.synchronize()
        print(float(x.sum()))


CASES = {f.__name__: f for f in (wait, other_stream)}

if __name__ == "__main__":
    CASES[sys.argv[1]](sys.argv[2] == "right")
