#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: torch_cases.py CASE. PyTorch programs; markers as in Program.h."""

import sys
import threading

import torch


def warm(f):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            f()
    torch.cuda.current_stream().wait_stream(side)


def capture(f, **options):
    """True if the capture succeeded."""
    warm(f)
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph, **options):
            f()
    except Exception as e:  # a refused call, or the end of the capture
        print(type(e).__name__, flush=True)
        return False
    graph.replay()
    torch.cuda.synchronize()
    return True


X = torch.ones(64, 64, device="cuda")
# Pinned intentionally: PyTorch itself refuses copies to pageable memory.
PINNED = torch.empty(64, 64, pin_memory=True)


def read_loss(x):
    return x.sum().item()  # BREAKS 900 item


def to_host(x):
    return x.cpu()  # BREAKS 900 cpu


def wait(x):
    torch.cuda.synchronize()  # BREAKS 900 synchronize


def item():
    capture(lambda: read_loss(X * 2))


def cpu():
    capture(lambda: to_host(X * 2))


def synchronize():
    capture(lambda: wait(X * 2))


def clean():
    def step():
        y = torch.relu(X @ X)
        PINNED.copy_(y, non_blocking=True)
    if not capture(step):
        sys.exit(1)


class Waits(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 64)

    def forward(self, x):
        if torch.cuda.is_current_stream_capturing():
            torch.cuda.current_stream().synchronize()  # BREAKS 900 callables
        return self.linear(x)


def callables():
    try:
        torch.cuda.make_graphed_callables(Waits().cuda(), (X.clone(),))
    except Exception as e:
        print(type(e).__name__, flush=True)


def compiled():
    f = torch.compile(lambda x: torch.relu(x @ x) + 1, mode="reduce-overhead")
    for _ in range(4):
        f(X)
    torch.cuda.synchronize()


def allocate():
    # This is larger than any cached block, so the allocator calls cudaMalloc.
    torch.cuda.set_device(0)
    torch.empty(1 << 28, dtype=torch.uint8, device="cuda")  # BREAKS 900 thread


def thread():
    started = []

    def step():
        torch.relu_(X)
        if torch.cuda.is_current_stream_capturing() and not started:
            started.append(True)
            worker = threading.Thread(target=guarded)
            worker.start()
            worker.join()

    def guarded():
        try:
            allocate()
        except Exception as e:
            print(type(e).__name__, flush=True)

    capture(step, capture_error_mode="global")


CASES = {f.__name__: f for f in (
    item, cpu, synchronize, clean, callables, compiled, thread)}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in CASES:
        print("\n".join(CASES))
        sys.exit(2)
    CASES[sys.argv[1]]()
