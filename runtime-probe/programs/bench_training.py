#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: bench_training.py [STEPS]. A training step, captured once and replayed."""

import sys
import time

import torch


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    torch.manual_seed(0)
    model = torch.nn.Sequential(*(layer for _ in range(8) for layer in (
        torch.nn.Linear(512, 512), torch.nn.ReLU()))).cuda()
    optimizer = torch.optim.Adam(model.parameters(), capturable=True)
    x, y = (torch.randn(64, 512, device="cuda") for _ in range(2))

    def step():
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    for _ in range(20):
        graph.replay()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(steps):
        graph.replay()
    torch.cuda.synchronize()
    print(f"training {(time.perf_counter() - start) / steps * 1e6:.1f} us/step")


if __name__ == "__main__":
    main()
