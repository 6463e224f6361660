#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: torch_ddp.py CASE wrong|right. DistributedDataParallel over one process; NCCL."""

import os
import sys

import torch
import torch.distributed as dist

from torch_python import attempt, model, show, warm


def start():
    for name, value in dict(MASTER_ADDR="127.0.0.1", MASTER_PORT="29531", RANK="0",
                            WORLD_SIZE="1").items():
        os.environ.setdefault(name, value)
    dist.init_process_group("nccl", device_id=torch.device("cuda", 0))


def whole(right):
    """Forward and backward of DDP in one graph: constructed on a side stream, eleven runs."""
    side, x = torch.cuda.Stream(), torch.ones(8, 64, device="cuda")
    side.wait_stream(torch.cuda.current_stream())
    parallel = torch.nn.parallel.DistributedDataParallel
    if right:
        with torch.cuda.stream(side):
            net = parallel(model())
    else:
        net = parallel(model())  # MOVES whole-wrong

    def step():
        net(x).sum().backward()  # BREAKS 906 whole-wrong

    with torch.cuda.stream(side):
        for _ in range(11):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()

    def capture():
        with torch.cuda.graph(graph, stream=side):
            step()
        graph.replay()
        print("captured")
    attempt(capture)
    show(*(p.grad for p in net.parameters() if p.grad is not None))


def few(right):
    """Too few runs before the capture."""
    side, x = torch.cuda.Stream(), torch.ones(8, 64, device="cuda")
    with torch.cuda.stream(side):
        net = torch.nn.parallel.DistributedDataParallel(model())

        def step():
            net(x).sum().backward()  # BREAKS 900 few-wrong

        for _ in range(11 if right else 3):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()

    def capture():
        with torch.cuda.graph(graph, stream=side):  # MOVES few-wrong
            step()
        graph.replay()
        print("captured")
    attempt(capture)


def callables(right):
    """make_graphed_callables, then DDP; the other order throws."""
    x = torch.ones(8, 64, device="cuda", requires_grad=True)
    parallel = torch.nn.parallel.DistributedDataParallel

    def build():
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            if right:
                net = parallel(torch.cuda.make_graphed_callables(model(), (x,)))
            else:
                net = parallel(model())
                net.register_forward_hook(lambda *_: None)
                net = torch.cuda.make_graphed_callables(net, (x,))  # FINDS thrown callables-wrong
            for _ in range(3):
                net(x).sum().backward()
            torch.cuda.synchronize()
        print("built")
    attempt(build)


CASES = {f.__name__: f for f in (whole, few, callables)}

if __name__ == "__main__":
    start()
    CASES[sys.argv[1]](sys.argv[2] == "right")
    dist.destroy_process_group()
