#!/usr/bin/env python3
# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: transformers_compile.py wrong|right. A transformers model, compiled with
mode="reduce-overhead", that calls an operator that waits for the device: right if the
operator is tagged as unsafe for CUDA graphs."""

import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel

RIGHT = sys.argv[-1] == "right"
TAGS = (torch._C.Tag.cudagraph_unsafe,) if RIGHT else ()


@torch.library.custom_op("frameworks::bounded", mutates_args=(), tags=TAGS)
def bounded(x: torch.Tensor) -> torch.Tensor:
    limit = x.abs().max().item()  # BREAKS 900 wrong
    return x / max(limit, 1.0)


@bounded.register_fake
def _(x):
    return torch.empty_like(x)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.gpt = GPT2LMHeadModel(GPT2Config(
            n_layer=2, n_head=4, n_embd=128, vocab_size=512, n_positions=64,
            attn_pdrop=0.0, embd_pdrop=0.0, resid_pdrop=0.0))

    def forward(self, ids):
        return bounded(self.gpt(ids, use_cache=False).logits)


def main():
    net = Model().cuda().eval()
    ids = torch.arange(32, device="cuda").reshape(1, 32)
    run = torch.compile(net, mode="reduce-overhead")
    with torch.no_grad():
        try:
            for _ in range(4):
                torch.compiler.cudagraph_mark_step_begin()
                result = run(ids).float().abs().sum().item()
            print(f"{result:.1f}")
        except Exception as e:
            print(type(e).__name__)


main()
