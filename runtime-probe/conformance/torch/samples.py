# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments from PyTorch's own tests: its OpInfos name about 600 operators, with
samples for each. The calls of a sample are recorded, including the backward pass, and
written to files that any process can measure later.
"""

import itertools
import os
import sys
import types
import unittest

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

import arguments

SAMPLES = 24        # of one operator and one type
PER_SAMPLE_SET = 8  # recorded calls to one overload, for one operator
LARGEST = 1 << 20
# Every sample calls these, so only a few of their calls are recorded.
COMMON = {"aten::" + name for name in (
    "detach", "clone", "empty.memory_format", "view", "ones_like", "t",
    "_to_copy", "sum", "expand", "fill_.Scalar", "zeros_like", "empty_like")}
KNOWN = set()  # overloads of the dispatcher; the others belong to TorchScript
DTYPES = [torch.float32, torch.int64, torch.bool, torch.complex64,
          torch.bfloat16]


def op_infos():
    """The OpInfos by name; does not use the device, so that the process can still
    fork."""
    stub = types.ModuleType("expecttest")
    stub.TestCase = type("TestCase", (unittest.TestCase,), {})
    stub.assert_expected_inline = lambda *a, **k: None
    sys.modules.setdefault("expecttest", stub)
    asked = torch.cuda.is_available
    torch.cuda.is_available = lambda: False
    try:
        from torch.testing._internal.common_methods_invocations import op_db
    finally:
        torch.cuda.is_available = asked
    return sorted(op_db, key=lambda op: (op.name, op.variant_test_name))


def packet_of(name):
    """The overloads that share the name of an OpInfo."""
    for prefix, other in (("nn.functional.", ""), ("linalg.", "linalg_"),
                          ("fft.", "fft_"), ("special.", "special_")):
        if name.startswith(prefix):
            name = other + name[len(prefix):]
            break
    packet = getattr(torch.ops.aten, name, None) if "." not in name else None
    return packet if hasattr(packet, "overloads") else None


class Recorder(TorchDispatchMode):
    """Writes the arguments of every call to an aten operator that reaches the
    dispatcher."""

    def __init__(self, folder, prefix, send):
        super().__init__()
        self.folder, self.prefix, self.send = folder, prefix, send
        self.seen, self.count = {}, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func.namespace == "aten":
            self.record(func, args, kwargs)
        return func(*args, **kwargs)

    def record(self, func, args, kwargs):
        name = func._schema.name
        if func._overloadname != "default":
            name += "." + func._overloadname
        if not KNOWN:
            KNOWN.update("aten::" + each for each in arguments.names())
        keys = self.seen.setdefault(name, set())
        if len(keys) >= (2 if name in COMMON else PER_SAMPLE_SET):
            return
        values = arguments.bind(func._schema, args, kwargs)
        if name not in KNOWN or not all(
                arguments.fits(a, values.get(a.name))
                for a in func._schema.arguments):
            return
        tensors = [t for t in tree_leaves(values) if isinstance(t, torch.Tensor)]
        if any(type(t) not in (torch.Tensor, torch.nn.Parameter)
               or t.numel() > LARGEST for t in tensors):
            return
        if tensors and not any(t.device.type == "cuda" for t in tensors):
            return
        try:
            key = arguments.form_of(values)
            if key in keys:
                return
            keys.add(key)
            path = os.path.join(self.folder, f"{self.prefix}-{self.count}.pt")
            torch.save(arguments.pack(values), path)
            self.count += 1
        except Exception:  # values that cannot be written are not cases
            return
        self.send(("case", name[len("aten::"):], key, path))


def detached(tree):
    return tree_map(lambda t: t.detach() if isinstance(t, torch.Tensor) else t,
                    tree)


def composite(recorder, packet, sample):
    """The overloads of the name itself: composite ones never reach the dispatcher under
    that name."""
    args = detached((sample.input, *sample.args))
    kwargs = detached(dict(sample.kwargs))
    for overload in packet.overloads():
        func = getattr(packet, overload)
        if any(arguments.is_out(a) for a in func._schema.arguments):
            continue
        if packet.__name__.endswith("_"):
            args = tree_map(lambda t: t.clone()
                            if isinstance(t, torch.Tensor) else t, args)
        try:
            func(*args, **kwargs)
        except Exception:
            continue
        recorder.record(func, args, kwargs)


def backward(out):
    """A backward pass through all results that support one."""
    outs = [t for t in tree_leaves(out) if isinstance(t, torch.Tensor)
            and t.requires_grad]
    if outs:
        grads = [torch.ones_like(t) for t in outs]
        torch.autograd.backward(outs, grads)


def collect(op, folder, prefix, send):
    """Records the calls of one OpInfo."""
    recorder = Recorder(folder, prefix, send)
    supported = op.supported_dtypes("cuda")
    dtypes = [t for t in DTYPES if t in supported][:4]
    packets = [p for p in (packet_of(op.name), packet_of(op.name + "_")) if p]
    for dtype in dtypes:
        main = dtype == dtypes[0]
        grad = op.supports_autograd and dtype == torch.float32
        try:
            samples = list(itertools.islice(op.sample_inputs(
                "cuda", dtype, requires_grad=grad), SAMPLES if main else 5))
        except Exception:
            continue
        for sample in samples:
            try:
                with recorder:
                    out = op(sample.input, *sample.args, **sample.kwargs)
                    if grad:
                        backward(out)
            except Exception:
                pass
            for packet in packets:
                composite(recorder, packet, sample)
    torch.cuda.synchronize()
