#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: megatron_core.py CASE wrong|right. Megatron core from source, with its local layers and
without Transformer Engine; MEGATRON names the folder that holds `megatron`."""

import os
import sys
import types

sys.path.insert(0, os.environ.get("MEGATRON", "."))

import torch  # noqa: E402

from torch_ddp import start  # noqa: E402
from torch_python import attempt, show  # noqa: E402

LENGTH, VOCABULARY = 16, 128


def prepare():
    from megatron.core import parallel_state
    from megatron.core.num_microbatches_calculator import init_num_microbatches_calculator
    from megatron.core.tensor_parallel.random import model_parallel_cuda_manual_seed

    torch.manual_seed(1)
    start()
    parallel_state.initialize_model_parallel()
    init_num_microbatches_calculator(0, None, 1, 1, 1)
    model_parallel_cuda_manual_seed(1, use_cudagraphable_rng=True, force_reset_rng=True)


def gpt(**options):
    from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
    from megatron.core.models.gpt.gpt_model import GPTModel
    from megatron.core.transformer.transformer_config import TransformerConfig

    config = TransformerConfig(
        num_layers=2, hidden_size=64, num_attention_heads=4, attention_dropout=0.0,
        hidden_dropout=0.0, masked_softmax_fusion=False, bias_dropout_fusion=False,
        bias_activation_fusion=False, gradient_accumulation_fusion=False, **options)
    return GPTModel(config, get_gpt_layer_local_spec(), VOCABULARY, LENGTH).cuda()


def batch():
    ids = torch.arange(LENGTH, device="cuda").reshape(1, LENGTH)
    return dict(input_ids=ids, position_ids=ids, labels=(ids + 1) % VOCABULARY)


def loss_of(model, data):
    return model(data["input_ids"], data["position_ids"], None, labels=data["labels"]).mean()


def layers(right):
    """CudaGraphManager: the first step records, create_cudagraphs() captures."""
    from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig
    from megatron.core.transformer.cuda_graphs import create_cudagraphs

    model, data = gpt(cuda_graph_impl="local"), batch()

    def checked(self, *args, **kwargs):
        out, bias = type(self).forward(self, *args, **kwargs)
        if not torch.isfinite(out).all():  # BREAKS 900 layers-wrong
            raise FloatingPointError
        return out, bias

    if not right:
        for layer in model.decoder.layers:
            layer.mlp.forward = types.MethodType(checked, layer.mlp)
    settings = DistributedDataParallelConfig(overlap_grad_reduce=False)
    model = DistributedDataParallel(model.config, settings, model)

    def step():
        model.zero_grad_buffer()
        loss = loss_of(model, data)
        loss.backward()
        return loss.detach()

    step()

    def capture():
        create_cudagraphs()
        show(step())
    attempt(capture)


def forward_backward(model, data_iterator, num_microbatches, seq_length, forward_only):
    loss = loss_of(model, next(data_iterator[0]))
    loss.backward()  # BREAKS 906 full-wrong
    return loss.detach()


def full(right):
    """FullCudaGraphWrapper, with DDP constructed on the capturing stream or a different one."""
    from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig
    from megatron.core.full_cuda_graph import FullCudaGraphWrapper, get_shared_capture_stream

    model, data = gpt(cuda_graph_impl="full_iteration"), batch()
    settings = DistributedDataParallelConfig(overlap_grad_reduce=False)
    stream = get_shared_capture_stream()
    stream.wait_stream(torch.cuda.current_stream())
    if right:
        with torch.cuda.stream(stream):
            model = DistributedDataParallel(model.config, settings, model)
    else:
        model = DistributedDataParallel(model.config, settings, model)  # MOVES full-wrong
    torch.cuda.synchronize()
    run = FullCudaGraphWrapper(forward_backward, cuda_graph_warmup_steps=2)

    def train():
        for _ in range(4):
            with torch.cuda.stream(stream):
                model.zero_grad_buffer()
                loss = run(model=model, data_iterator=iter([data]), num_microbatches=1,
                           seq_length=LENGTH, forward_only=False)
        show(loss)
    attempt(train)


def optimizer(right):
    """OptimizerCudaGraphWrapper around a step that clips gradients."""
    from megatron.core.optimizer.optimizer_cuda_graph import OptimizerCudaGraphWrapper

    model, data = gpt(), batch()
    parameters = list(model.parameters())
    adam = torch.optim.Adam(parameters, lr=1e-3, capturable=True)
    loss_of(model, data).backward()

    def step():
        norm = torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        if not right and norm.item() > 1e6:  # BREAKS 900 optimizer-wrong
            return False
        adam.step()
        return True

    run = OptimizerCudaGraphWrapper(step, cuda_graph_warmup_steps=2)

    def train():
        for _ in range(4):
            print(run())
        show(*parameters[:2])
    attempt(train)


CASES = {f.__name__: f for f in (layers, full, optimizer)}

if __name__ == "__main__":
    prepare()
    CASES[sys.argv[1]](sys.argv[2] == "right")
