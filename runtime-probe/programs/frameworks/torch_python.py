#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: torch_python.py CASE wrong|right. Errors of captures in Python, and their fixes;
markers as in Program.h, with `CASE-wrong` as their case, and `MOVES` for what a note names."""

import sys
import traceback

import torch


def warm(f, runs=3):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(runs):
            f()
    torch.cuda.current_stream().wait_stream(side)


def show(*tensors):
    torch.cuda.synchronize()
    print(*(f"{t.float().sum().item():.3f}" for t in tensors), flush=True)


def attempt(f):
    try:
        f()
    except Exception as e:
        traceback.print_exc()
        print(type(e).__name__, flush=True)


def model():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(),
                               torch.nn.Linear(64, 64)).cuda()


def autocast(right):
    net, x = model(), torch.ones(8, 64, device="cuda")
    graph = torch.cuda.CUDAGraph()
    if right:
        with torch.autocast("cuda", cache_enabled=False):
            warm(lambda: net(x))
            with torch.cuda.graph(graph):
                y = net(x)
    else:
        with torch.autocast("cuda"):
            net(x)
            with torch.cuda.graph(graph):  # FINDS autocast-cache autocast-wrong
                y = net(x)
    graph.replay()
    show(y)


def hooks(right):
    net, x, calls = model(), torch.ones(8, 64, device="cuda"), []

    def count(module, inputs, output):  # FINDS skipped-hook hooks-wrong
        calls.append(tuple(output.shape))

    handle = net[0].register_forward_hook(count)
    warm(lambda: net(x))
    if right:
        handle.remove()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = net(x)
    for _ in range(4):
        graph.replay()
        if right:
            count(net[0], (x,), y)
    show(y)
    print(len(calls))


def rebound(right):
    net, x = model(), torch.ones(8, 64, device="cuda")
    warm(lambda: net(x))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = net(x)
    for step in range(4):
        batch = torch.full((8, 64), float(step), device="cuda")
        if right:
            x.copy_(batch)
        else:
            x = batch  # FINDS rebound-tensor rebound-wrong
        graph.replay()
    show(y)


def parameter(right):
    net, x = model(), torch.ones(8, 64, device="cuda")
    warm(lambda: net(x))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = net(x)
    graph.replay()
    new = torch.zeros(64, 64, device="cuda")
    if right:
        with torch.no_grad():
            net[2].weight.copy_(new)
    else:
        net[2].weight = torch.nn.Parameter(new)  # FINDS rebound-tensor parameter-wrong
    graph.replay()
    show(y)


def gone(right):
    """An input without any remaining reference: its memory is reused for the next
    tensor of the same size."""
    graph, y = torch.cuda.CUDAGraph(), torch.zeros(1000, 1000, device="cuda")

    def capture():
        x = torch.ones(1000, 1000, device="cuda")  # MOVES gone-wrong
        with torch.cuda.graph(graph):
            torch.mul(x, 2, out=y)
        return x if right else None

    kept = capture()
    graph.replay()  # FINDS freed-memory gone-wrong
    other = torch.full((1000, 1000), 3.0, device="cuda")
    graph.replay()
    show(y, other)
    print(kept is not None)


def thread_local(right):
    """In thread-local mode, the thread that runs the backward pass still must not wait
    for a capturing stream."""
    net, x = model(), torch.ones(8, 64, device="cuda")

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(context, value):
            return value * 2

        @staticmethod
        def backward(context, gradient):
            if right:
                return gradient * 2
            return gradient * 2 if gradient.sum().item() else gradient  # BREAKS 900 thread_local-wrong

    def step():
        net.zero_grad(set_to_none=True)
        Scale.apply(net(x)).sum().backward()

    warm(step)
    graph = torch.cuda.CUDAGraph()

    def capture():
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            step()
        graph.replay()
        print("captured")
    attempt(capture)


def generator(right):
    own = torch.Generator(device="cuda").manual_seed(1)
    graph = torch.cuda.CUDAGraph()

    def draw():
        return torch.rand(64, device="cuda", generator=own)  # FINDS thrown generator-wrong

    warm(draw)
    if right:
        graph.register_generator_state(own)

    def capture():
        with torch.cuda.graph(graph):
            draw()
        graph.replay()
        print("captured")
    attempt(capture)


def default_stream(right):
    x = torch.ones(64, device="cuda")
    graph = torch.cuda.CUDAGraph()

    def capture():
        graph.capture_begin()  # FINDS thrown default_stream-wrong
        x.add_(1)
        graph.capture_end()
        print("captured")
    if right:
        with torch.cuda.stream(torch.cuda.Stream()):
            attempt(capture)
    else:
        attempt(capture)
    show(x)


def host_tensor(right):
    x = torch.ones(3, device="cuda")
    table = torch.tensor([1.0, 2.0, 3.0], device="cuda")
    graph = torch.cuda.CUDAGraph()

    def step():
        if right:
            return x * table
        return x * torch.tensor([1.0, 2.0, 3.0]).to("cuda")  # FINDS thrown host_tensor-wrong

    warm(step)

    def capture():
        with torch.cuda.graph(graph):
            step()
        print("captured")
    attempt(capture)


def host_index(right):
    x = torch.ones(8, 8, device="cuda")
    index = torch.tensor([0, 2, 4], device="cuda" if right else "cpu")
    graph = torch.cuda.CUDAGraph()

    def step():
        return x[index]  # FINDS thrown host_index-wrong

    warm(step)

    def capture():
        with torch.cuda.graph(graph):
            step()
        print("captured")
    attempt(capture)


def clip(right):
    net, x = model(), torch.ones(8, 64, device="cuda")

    def step():
        net(x).sum().backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0, error_if_nonfinite=not right)  # BREAKS 900 clip-wrong

    warm(step)
    graph = torch.cuda.CUDAGraph()

    def capture():
        with torch.cuda.graph(graph):
            step()
        print("captured")
    attempt(capture)


def scaler(right):
    net, x = model(), torch.ones(8, 64, device="cuda")
    adam = torch.optim.SGD(net.parameters(), lr=1e-3)
    scale = torch.amp.GradScaler("cuda")

    def update():
        scale.step(adam)  # BREAKS 900 scaler-wrong
        scale.update()

    def step():
        scale.scale(net(x).sum()).backward()
        if not right:
            update()

    warm(step)
    graph = torch.cuda.CUDAGraph()

    def capture():
        with torch.cuda.graph(graph):
            step()
        graph.replay()
        update()
        print("captured")
    attempt(capture)


def optimizer(right):
    net, x = model(), torch.ones(8, 64, device="cuda")
    adam = torch.optim.Adam(net.parameters(), lr=1e-3, capturable=right)

    def step():
        adam.zero_grad(set_to_none=True)
        net(x).sum().backward()
        adam.step()  # FINDS thrown optimizer-wrong

    warm(step)
    graph = torch.cuda.CUDAGraph()

    def capture():
        with torch.cuda.graph(graph):
            step()
        graph.replay()
        print("captured")
    attempt(capture)


def callables_autocast(right):
    net, x = model(), torch.ones(8, 64, device="cuda", requires_grad=True)
    with torch.autocast("cuda", cache_enabled=not right):
        attempt(lambda: print(torch.cuda.make_graphed_callables(  # FINDS thrown callables_autocast-wrong
            net, (x,))(x).shape))


def callables_hooks(right):
    net, x = model(), torch.ones(8, 64, device="cuda", requires_grad=True)
    seen = []
    if not right:
        net.register_forward_hook(lambda *_: seen.append(1))
    attempt(lambda: print(torch.cuda.make_graphed_callables(net, (x,))(x).shape))  # FINDS thrown callables_hooks-wrong


def seed(right):
    x = torch.ones(64, device="cuda")
    torch.cuda.manual_seed(1)

    def step():
        if not right:
            torch.cuda.manual_seed(2)  # FINDS thrown seed-wrong
        return torch.dropout(x, 0.5, True)

    warm(step)
    torch.cuda.manual_seed(1)
    graph = torch.cuda.CUDAGraph()

    def capture():
        with torch.cuda.graph(graph):
            step()
        print("captured")
    attempt(capture)


def accumulate(right):
    net, x = model(), torch.ones(8, 64, device="cuda")
    loss = net(x).sum()  # MOVES accumulate-wrong
    loss.backward()
    if right:
        del loss
    net.zero_grad(set_to_none=True)
    warm(lambda: net(x).sum().backward() if right else None)
    graph = torch.cuda.CUDAGraph()

    def capture():
        with torch.cuda.graph(graph):
            net(x).sum().backward()  # BREAKS 906 accumulate-wrong
        graph.replay()
        print("captured")
    attempt(capture)


def warm_up(right):
    net, x = model(), torch.ones(8, 64, device="cuda")

    def step():
        return net(x)  # BREAKS 900 warm_up-wrong

    if right:
        warm(step)
    graph = torch.cuda.CUDAGraph()

    def capture():
        with torch.cuda.graph(graph):  # MOVES warm_up-wrong
            y = step()
        graph.replay()
        show(y)
    attempt(capture)


CASES = {f.__name__: f for f in (
    autocast, hooks, rebound, parameter, gone, thread_local, generator, default_stream,
    host_tensor, host_index, clip, scaler, optimizer,
    callables_autocast, callables_hooks, seed, accumulate, warm_up)}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in CASES or sys.argv[2] not in ("wrong", "right"):
        print("\n".join(CASES))
        sys.exit(2)
    CASES[sys.argv[1]](sys.argv[2] == "right")
