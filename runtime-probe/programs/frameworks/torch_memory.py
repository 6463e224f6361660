#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: torch_memory.py CASE wrong|right. Memory of a graph to which the program has no
reference, or too many; markers as in torch_python.py."""

import sys

import torch

from torch_python import model, show, warm


def pinned(right):
    """A source in pinned memory without any remaining reference: PyTorch's allocator
    reuses its memory for the next tensor of the same size."""
    graph, y = torch.cuda.CUDAGraph(), torch.zeros(1024, device="cuda")

    def capture():
        x = torch.ones(1024).pin_memory()
        with torch.cuda.graph(graph):
            y.copy_(x, non_blocking=True)  # MOVES pinned-wrong
        return x if right else None

    kept = capture()
    graph.replay()  # FINDS freed-memory pinned-wrong
    torch.cuda.synchronize()
    other = torch.full((1024,), 3.0).pin_memory()
    graph.replay()
    show(y)
    print(kept is not None, other.is_pinned())


def collected(right):
    """All elements of the list are the output of the graph."""
    net, x = model(), torch.ones(8, 64, device="cuda")
    warm(lambda: net(x))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = net(x)
    outputs = []
    for step in range(10):
        x.fill_(step)
        graph.replay()  # FINDS overwritten-output collected-wrong
        outputs.append(y.clone() if right else y)
    show(outputs[0], outputs[-1])


CASES = {f.__name__: f for f in (pinned, collected)}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in CASES or sys.argv[2] not in ("wrong", "right"):
        print("\n".join(CASES))
        sys.exit(2)
    CASES[sys.argv[1]](sys.argv[2] == "right")
