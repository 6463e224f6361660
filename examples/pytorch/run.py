#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: run.py [--library FILE] [--captures N] ENTRY VARIANT
       run.py --build DIR

Captures an operator of ops.cu through one of PyTorch's three entry points (graph,
callables, compile), replays it with new inputs, and compares it with eager mode. Prints
one line of JSON; a capture that fails is a result, not a failure of this program.

  --build DIR     compile ops.cu into DIR, print the library's path, and exit
  --library FILE  use that library; otherwise ops.cu is compiled when needed
  --captures N    `graph` only: capture N times at one location, replay the last"""

import argparse
import json
import os
import sys

import torch

SIZE = 1024
OPS = torch.ops.cgtidy_example

# Unsafe, fixed.
PAIRS = {
    "normalize_by_max": "normalize_by_max_on_device",
    "pack_nonzero": "pack_nonzero_on_device",
    "smooth_with_malloc": "smooth_with_allocator",
    "scale_on_default_stream": "scale_on_current_stream",
    "decay_by_host_step": "decay_by_device_step",
    "weigh_from_stack": "weigh_by_value",
}
SAFE = ["scaled_add", *PAIRS.values()]
VARIANTS = [*SAFE, *PAIRS]


def build(directory=None):
    """-g gives the probe files and lines."""
    from torch.utils.cpp_extension import load
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ops.cu")
    load("cgtidy_example", [source], extra_cuda_cflags=["-O2", "-g"],
         build_directory=directory, is_python_module=False)
    return directory and os.path.join(directory, "cgtidy_example.so")


def describe_to_python():
    """The information that torch.compile and autograd need."""
    for name in VARIANTS:
        torch.library.register_fake(
            f"cgtidy_example::{name}", lambda x, *more: torch.empty_like(x))

    def keep(ctx, inputs, output):
        ctx.alpha = inputs[2]

    def backward(ctx, grad):
        return grad, ctx.alpha * grad, None

    torch.library.register_autograd(
        "cgtidy_example::scaled_add", backward, setup_context=keep)


class Block(torch.nn.Module):
    """An operator in a small model, with a parameter and a second operator."""

    def __init__(self, variant, gain=2.0):
        super().__init__()
        self.variant, self.gain = variant, gain
        self.op = getattr(OPS, variant).default
        self.weight = torch.nn.Parameter(torch.linspace(0.5, 1.5, SIZE, device="cuda"))
        self.register_buffer("steps", torch.zeros((), device="cuda"))

    def forward(self, x):
        if self.variant == "scaled_add":
            y = self.op(x, x, 0.25)
        elif self.variant.startswith("weigh"):
            y = self.op(x, self.gain)
        elif self.variant == "decay_by_device_step":
            y = self.op(x, self.steps)
        else:
            y = self.op(x)
        return OPS.scaled_add.default(y, x * self.weight, 0.5)

    def reset(self):
        """Runs that are compared begin at the same step."""
        OPS.reset_steps()
        self.steps.zero_()


def train(block, x):
    """The results of the forward and the backward pass."""
    block.weight.grad = None
    y = block(x)
    y.sum().backward()
    return y.detach().clone(), block.weight.grad.clone()


@torch.no_grad()
def infer(block, x):
    return (block(x).clone(),)


# An entry captures an operator, and returns a function that replays the graph
# and one that runs in eager mode.


def graph(block, x, captures):
    static = x.clone()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side), torch.no_grad():
        for _ in range(3):
            block(static)
    torch.cuda.current_stream().wait_stream(side)

    graphs = [torch.cuda.CUDAGraph() for _ in range(captures)]
    for g in graphs:
        with torch.no_grad(), torch.cuda.graph(g):
            y = block(static)

    def replay(x):
        static.copy_(x)
        graphs[-1].replay()
        return (y.clone(),)

    return replay, infer


def callables(block, x, captures):
    # Warms up automatically, and captures forward and backward.
    graphed = torch.cuda.make_graphed_callables(block, (x.clone(),))
    return lambda x: train(graphed, x), train


def compiled(block, x, captures):
    function = torch.compile(block, mode="reduce-overhead", fullgraph=True)

    def replay(x):
        torch.compiler.cudagraph_mark_step_begin()
        return infer(function, x)

    for _ in range(3):  # the first warms up, the second records
        replay(x)
    return replay, infer


ENTRIES = {"graph": graph, "callables": callables, "compile": compiled}


def recorded():
    """How many graphs torch.compile has recorded, and how often it declined to record
    one."""
    from torch._dynamo.utils import counters
    from torch._inductor.cudagraph_trees import get_manager
    manager = get_manager(torch.cuda.current_device(), create_if_none_exists=False)
    return (sum(map(len, manager.roots.values())) if manager else 0,
            counters["inductor"]["cudagraph_skips"])


def told(error):
    """The type of an exception, and its first line."""
    text = f"{type(error).__name__}: {error}"
    return text.splitlines()[0]


def cause(error):
    """The first CUDA error in the chain of this exception, or the exception itself."""
    first = error
    while error := error.__cause__ or error.__context__:
        if "CUDA error" in str(error):
            first = error
    return first


def same(seen, wanted):
    return all(torch.allclose(a, b) for a, b in zip(seen, wanted, strict=True))


def run(entry, variant, captures):
    result = dict(entry=entry, variant=variant, captured=False, error=None,
                  differs_from_eager=None)
    block = Block(variant)
    torch.manual_seed(0)
    inputs = [torch.randn(SIZE, device="cuda").relu() for _ in range(4)]
    try:
        replay, eager = ENTRIES[entry](block, inputs[0], captures)
    except Exception as e:  # usually an error of the capture
        result["error"] = told(e)
        if cause(e) is not e:
            result["cause"] = told(cause(e))
    if entry == "compile":
        result["graphs"], result["skips"] = recorded()
    if result["error"]:
        return result
    result["captured"] = entry != "compile" or bool(
        result["graphs"] and not result["skips"])

    reference = Block(variant)
    reference.reset()
    wanted = [eager(reference, x) for x in inputs]
    # Another user calls the operator before the graph is replayed.
    infer(Block(variant, gain=-1.0), inputs[0])
    block.reset()
    try:
        seen = [replay(x) for x in inputs]
        result["differs_from_eager"] = not all(map(same, seen, wanted))
    except Exception as e:
        result["error"] = told(e)
    return result


def main():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("\n\n")[0].removeprefix("usage: "))
    parser.add_argument("--build", metavar="DIR")
    parser.add_argument("--library")
    parser.add_argument("--captures", type=int, default=1)
    parser.add_argument("entry", nargs="?", choices=ENTRIES)
    parser.add_argument("variant", nargs="?", choices=VARIANTS)
    options = parser.parse_args()
    if options.build:
        os.makedirs(options.build, exist_ok=True)
        print(build(os.path.abspath(options.build)))
        return
    if not options.variant:
        parser.error("ENTRY and VARIANT are needed")
    if options.library:
        torch.ops.load_library(options.library)
    else:
        build()
    describe_to_python()
    print(json.dumps(run(options.entry, options.variant, options.captures)), flush=True)


if __name__ == "__main__":
    main()
