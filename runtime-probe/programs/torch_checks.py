#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: torch_checks.py CASE

Reproduces the error of a case of refused.cu or silent.cu in a capture that PyTorch
begins, and prints the exceptions that Python shows, in order, as JSON: the type, the
first line, and the line of this file where it was raised. An exception at the end of
the capture has the line of its `with`."""

import ctypes
import json
import sys
import threading
import traceback

import torch

CUDART = ctypes.CDLL("libcudart.so.13")
X = torch.ones(64, device="cuda")
SIDE = torch.cuda.Stream()
EVENT = torch.cuda.Event()
SIZE = ctypes.c_size_t(1 << 20)


def allocate():
    CUDART.cudaMalloc(ctypes.byref(ctypes.c_void_p()), SIZE)


def synchronize():
    torch.cuda.synchronize()


def thread():
    worker = threading.Thread(target=allocate)
    worker.start()
    worker.join()
    X.zero_()


def merge():
    other = torch.cuda.CUDAGraph()
    stream = torch.cuda.current_stream()
    with torch.cuda.stream(SIDE):
        other.capture_begin()
        EVENT.record(SIDE)
        stream.wait_event(EVENT)
        other.capture_end()


def unjoined():
    SIDE.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(SIDE):
        X.mul_(2)


def implicit():
    # PyTorch captures on non-blocking streams; this one is blocking.
    stream = ctypes.c_void_p()
    graph = ctypes.c_void_p()
    CUDART.cudaStreamCreate(ctypes.byref(stream))
    CUDART.cudaStreamBeginCapture(stream, 0)
    with torch.cuda.stream(torch.cuda.default_stream()):
        X.mul_(2)
    CUDART.cudaStreamEndCapture(stream, ctypes.byref(graph))


def captured_event():
    X.mul_(2)
    EVENT.record()
    EVENT.query()


def escaped_launch():
    with torch.cuda.stream(torch.cuda.default_stream()):
        X.mul_(2)
    X.mul_(2)


def escaped_copy():
    host = (ctypes.c_float * 64)()
    CUDART.cudaMemcpy(ctypes.c_void_p(X.data_ptr()), host, ctypes.c_size_t(256), 1)
    X.mul_(2)


POOLED = ctypes.c_void_p()


def survived():
    CUDART.cudaFreeAsync(POOLED, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
    X.mul_(2)


def raised(error):
    """The frames of the exception, after those of the exceptions in its chain."""
    if error is None:
        return []
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == __file__]
    return [*raised(error.__context__),
            dict(type=type(error).__name__, says=str(error).splitlines()[0],
                 line=frames[-1].line if frames else None)]


def main():
    case = sys.argv[1]
    seen = dict(raised=[], replayed=False)
    CUDART.cudaMallocAsync(ctypes.byref(POOLED), ctypes.c_size_t(256), ctypes.c_void_p(SIDE.cuda_stream))
    X.mul_(2).zero_()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            globals()[case.replace("-", "_")]()
        graph.replay()
        torch.cuda.synchronize()
        seen["replayed"] = True
    except Exception as error:
        seen["raised"] = raised(error)
    print(json.dumps(seen), flush=True)


if __name__ == "__main__":
    main()
