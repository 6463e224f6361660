#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: transformer_engine_graph.py CASE wrong|right. make_graphed_callables of Transformer
Engine's graph.py, from source, with plain PyTorch modules: its imports from the rest of
Transformer Engine are empty here. TRANSFORMER_ENGINE names the folder that holds
`transformer_engine`."""

import contextlib
import importlib
import os
import sys
import types

import torch

from torch_python import attempt, model, show

NAME = "transformer_engine"


def module(name, path=(), **contents):
    made = types.ModuleType(f"{NAME}.{name}" if name else NAME)
    made.__path__ = list(path)
    made.__dict__.update(contents)
    sys.modules[made.__name__] = made


class State:
    """FP8 is off."""

    @staticmethod
    def is_fp8_enabled():
        return False

    @staticmethod
    def is_first_fp8_module():
        return False

    @staticmethod
    def set_skip_fp8_weight_update_tensor(skip):
        pass


def load():
    def empty(name):
        return type(name, (), {})

    @contextlib.contextmanager
    def autocast(*args, **kwargs):
        yield

    module("")
    module("common")
    module("common.recipe", DelayedScaling=empty("DelayedScaling"), Recipe=empty("Recipe"))
    module("pytorch", [os.path.join(os.environ["TRANSFORMER_ENGINE"], NAME, "pytorch")])
    module("pytorch.constants", dist_group_type=object)
    module("pytorch.quantization", autocast=autocast, FP8GlobalStateManager=State,
           get_default_fp8_recipe=lambda: None)
    module("pytorch.distributed", get_all_rng_states=dict, graph_safe_rng_available=lambda: False)
    module("pytorch.module")
    module("pytorch.module.base",
           TransformerEngineBaseModule=type("TransformerEngineBaseModule", (torch.nn.Module,), {}))
    module("pytorch.ops", Sequential=empty("Sequential"))
    module("pytorch.ops.op", BasicOperation=empty("BasicOperation"))
    module("pytorch.ops.fuser", OperationFuser=empty("OperationFuser"))
    module("pytorch.utils", make_weak_ref=lambda value: value)
    return importlib.import_module(f"{NAME}.pytorch.graph")


class Checked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = model()

    def forward(self, x):
        y = self.inner(x)
        if y.isnan().any():  # BREAKS 900 callables-wrong
            raise FloatingPointError
        return y


def callables(right):
    graph, x = load(), torch.ones(8, 64, device="cuda", requires_grad=True)

    def capture():
        layers = (model(), model() if right else Checked().cuda())
        graphed = graph.make_graphed_callables(layers, ((x,), (x,)))
        y = graphed[1](graphed[0](x))
        y.sum().backward()
        show(y, x.grad)
    attempt(capture)


def autocast(right):
    """Around the call, with the cache of casts: it throws."""
    graph, x = load(), torch.ones(8, 64, device="cuda", requires_grad=True)

    def capture():
        graph.make_graphed_callables(model(), (x,))  # FINDS thrown autocast-wrong
        print("captured")
    with torch.autocast("cuda", cache_enabled=not right):
        attempt(capture)


CASES = {f.__name__: f for f in (callables, autocast)}

if __name__ == "__main__":
    CASES[sys.argv[1]](sys.argv[2] == "right")
