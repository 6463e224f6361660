#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: torchrun --nproc-per-node=2 torch_ranks.py CASE wrong|right. NCCL collectives
in graphs, on two GPUs of one host."""

import os
import sys
import threading

import torch
import torch.distributed as dist

RANK = int(os.environ.get("RANK", 0))


def say(text):
    """Printed by one rank, so that the order of lines is fixed."""
    if RANK == 0:
        print(text, flush=True)


def leave():
    """Exits without destroying the process group, because that would wait."""
    torch.cuda.synchronize()
    dist.barrier()
    sys.stdout.flush()
    os._exit(0)


def order(right):
    """One rank captures two collectives in reverse order; this graph is not replayed."""
    x, y = (torch.ones(1024, device="cuda") for _ in range(2))
    steps = [lambda: dist.all_reduce(x), lambda: dist.broadcast(y, 0)]
    for step in steps:
        step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # FINDS ranks-differ order-wrong
        for step in steps if right or RANK == 0 else steps[::-1]:
            step()
    if right:
        graph.replay()
    torch.cuda.synchronize()
    say(f"captured {x[0].item():.0f}")
    leave()


def some(right):
    """Only rank 0 captures."""
    x = torch.ones(1024, device="cuda")
    dist.all_reduce(x)
    torch.cuda.synchronize()
    if right or RANK == 0:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):  # FINDS ranks-differ some-wrong
            dist.all_reduce(x)
        graph.replay()
    else:
        dist.all_reduce(x)
    torch.cuda.synchronize()
    say(f"replayed {x[0].item():.0f}")
    leave()


def destroy(right):
    """The group is destroyed while the graph contains its collective: NCCL waits."""
    x = torch.ones(1024, device="cuda")
    dist.all_reduce(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        dist.all_reduce(x)
    graph.replay()
    torch.cuda.synchronize()

    def hangs():
        say("hangs")
        os._exit(0)

    timer = threading.Timer(15, hangs)
    timer.daemon = True
    timer.start()
    if right:
        graph.reset()
    dist.destroy_process_group()  # FINDS communicator destroy-wrong
    timer.cancel()
    say("ends")


CASES = {f.__name__: f for f in (order, some, destroy)}

if __name__ == "__main__":
    torch.cuda.set_device(RANK)
    dist.init_process_group("nccl", device_id=torch.device("cuda", RANK))
    CASES[sys.argv[1]](sys.argv[2] == "right")
