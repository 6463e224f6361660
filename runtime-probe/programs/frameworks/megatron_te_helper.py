#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: megatron_te_helper.py CASE wrong|right. TECudaGraphHelper of Megatron core
over local layers, with the graph.py of Transformer Engine, both from source: their
other imports from Transformer Engine are empty here. MEGATRON and TRANSFORMER_ENGINE
name their folders."""

import sys
import types

import torch

import megatron_core
import transformer_engine_graph
from torch_python import attempt, show


def prepared():
    """Megatron is imported before the stand-in for Transformer Engine: its layers are local."""
    from packaging.version import Version

    from megatron.core import utils
    from megatron.core.transformer import cuda_graphs

    megatron_core.prepare()
    made = megatron_core.gpt(cuda_graph_impl="transformer_engine", bf16=True,
                             params_dtype=torch.bfloat16)
    cuda_graphs.make_graphed_callables = transformer_engine_graph.load().make_graphed_callables
    cuda_graphs.HAVE_TE_GRAPHS = True
    utils._te_version = Version("2.10.0")
    return made, cuda_graphs.TECudaGraphHelper


def parallel(model, aside):
    """Captures on a side stream, as Megatron's training does."""
    from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig

    settings, model = DistributedDataParallelConfig(overlap_grad_reduce=False), model.bfloat16()
    if not aside:
        return DistributedDataParallel(model.config, settings, model)  # MOVES stream-wrong
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        model = DistributedDataParallel(model.config, settings, model)
    torch.cuda.current_stream().wait_stream(stream)
    return model


def train(model, helper_type):
    data = megatron_core.batch()

    def capture():
        graphs = helper_type([model], model.config, megatron_core.LENGTH, 1)
        graphs.create_cudagraphs()  # BREAKS 906 stream-wrong
        print(graphs.graphs_created())
        for _ in range(3):
            model.zero_grad_buffer()
            loss = megatron_core.loss_of(model, data)
            loss.backward()
        show(loss.detach())
    attempt(capture)


def helper(right):
    """A check on the host in a layer."""
    model, helper_type = prepared()

    def checked(self, *args, **kwargs):
        out, bias = type(self).forward(self, *args, **kwargs)
        if not torch.isfinite(out).all():  # BREAKS 900 helper-wrong
            raise FloatingPointError
        return out, bias

    if not right:
        for layer in model.decoder.layers:
            layer.mlp.forward = types.MethodType(checked, layer.mlp)
    train(parallel(model, aside=True), helper_type)


def stream(right):
    """DistributedDataParallel constructed on the default stream."""
    model, helper_type = prepared()
    train(parallel(model, aside=right), helper_type)


CASES = {f.__name__: f for f in (helper, stream)}

if __name__ == "__main__":
    CASES[sys.argv[1]](sys.argv[2] == "right")
