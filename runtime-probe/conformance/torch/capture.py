# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures one call: twice without a capture, once in a capture, and as a
replay of that capture over arguments whose contents have changed.

A failed capture leaves unusable state (pools of the allocator, states
of the generators): the caller exits the process after a row with
"refused".
"""

import ctypes
import re

import torch
from torch.utils._pytree import tree_leaves, tree_map

# CUDA's capture errors, by libtorch's messages.
CODES = [
    (r"operation not permitted when stream is capturing", 900),
    (r"operation failed due to a previous error during capture", 901),
    (r"operation would result in a merge of separate capture", 902),
    (r"capture was not ended in the same stream", 903),
    (r"capturing stream has unjoined work", 904),
    (r"dependency created on uncaptured work", 905),
    (r"would make the legacy stream depend on a capturing", 906),
    (r"operation not permitted on an event last recorded in a capturing", 907),
    (r"attempt to terminate a thread-local capture", 908),
]
STATUS = {0: "none", 1: "active", 2: "invalidated"}
STREAM = None
SPOILED = []  # graphs whose capture failed: their destructor may crash the process


class Skip(Exception):
    """The call cannot be measured, for the given reason."""


def stream():
    """The stream of the process on which everything is measured."""
    global STREAM
    if STREAM is None:
        STREAM = torch.cuda.Stream()
    return STREAM


def runtime():
    major = torch.version.cuda.split(".")[0]
    return ctypes.CDLL(f"libcudart.so.{major}")


def capture_status(s):
    value = ctypes.c_int(0)
    runtime().cudaStreamIsCapturing(ctypes.c_void_p(s.cuda_stream),
                                    ctypes.byref(value))
    return STATUS.get(value.value, "none")


def code_of(text):
    return next((code for pattern, code in CODES if re.search(pattern, text)),
                None)


def message_of(error):
    text = str(error).strip() or type(error).__name__
    line = re.sub(r"0x[0-9a-fA-F]+", "0x...", text.splitlines()[0])
    return re.sub(r'/\S+/', "", line)[:160]


def is_tensor(value):
    return isinstance(value, torch.Tensor)


def fresh(t):
    """A separate tensor with the same contents, in the same kind of memory."""
    if not is_tensor(t):
        return t
    if t.layout == torch.strided and t.device.type == "cpu" and t.is_pinned():
        return t.detach().clone().pin_memory()
    return t.detach().clone()


def varied(t, level):
    """Other contents of the same shape that are as valid as those of t."""
    if not is_tensor(t) or level > 1 or t.numel() == 0:
        return fresh(t)
    if t.device.type == "cpu" and t.layout == torch.strided and t.is_pinned():
        return varied(t.clone(), level).pin_memory()
    try:
        if t.is_floating_point() or t.is_complex():
            square = t.dim() > 1 and t.shape[-1] == t.shape[-2]
            other = t * 0.75
            return other if square or not t.dim() else other.flip(-1)
        if level:
            return fresh(t)
        if t.dtype == torch.bool:
            return t.flip(-1) if t.numel() > 1 and t.dim() else ~t
        if t.dim() and t.numel() > 1:
            return t.flip(-1)
        return t + 1 if t.device.type == "cpu" else fresh(t)
    except (RuntimeError, NotImplementedError):
        return fresh(t)


def assign(targets, values):
    """Writes the values into the tensors; false if that cannot be done."""
    try:
        for target, value in zip(tree_leaves(targets), tree_leaves(values)):
            if is_tensor(target):
                if target.layout != torch.strided:
                    target = target.values()
                    value = value.values()
                if target.shape != value.shape:
                    return False
                target.copy_(value)
    except (RuntimeError, NotImplementedError, AttributeError):
        return False
    return True


def on_host(t):
    t = t.detach()
    if t.layout != torch.strided:
        t = t.to_dense()
    if t.is_quantized:
        t = t.dequantize()
    t = t.cpu()
    return t.to(torch.complex128 if t.is_complex() else torch.float64)


def same(left, right):
    """Whether two results agree, except for rounding."""
    left, right = tree_leaves(left), tree_leaves(right)
    if len(left) != len(right):
        return False
    for a, b in zip(left, right):
        if is_tensor(a) != is_tensor(b):
            return False
        if not is_tensor(a):
            if isinstance(a, (bool, int, float, str)) and a != b and a == a:
                return False
            continue
        coarse = a.dtype not in (torch.float64, torch.float32, torch.complex64)
        try:
            if a.shape != b.shape or a.dtype != b.dtype:
                return False
            x, y = on_host(a), on_host(b)
        except (RuntimeError, NotImplementedError):
            continue
        if not torch.allclose(x, y, rtol=2e-2 if coarse else 1e-3,
                              atol=1e-2 if coarse else 1e-4, equal_nan=True):
            return False
    return True


def result_of(out, arguments):
    """A copy of the results of a call and of the memory that it may have written."""
    return tree_map(lambda t: t.detach().clone() if is_tensor(t) else t,
                    (out, [t for t in tree_leaves(arguments) if is_tensor(t)]))


def count_nodes(graph):
    count = ctypes.c_size_t(0)
    raw = graph.raw_cuda_graph()
    if runtime().cudaGraphGetNodes(ctypes.c_void_p(int(raw)), None,
                                   ctypes.byref(count)):
        return None
    return count.value


def touches_cuda(tree):
    return any(is_tensor(t) and t.device.type == "cuda"
               for t in tree_leaves(tree))


def measure(call, arguments, level=0, stage=lambda text: None, expect=True,
            needs_cuda=True):
    """A row's measured fields. call(*args, **kwargs) runs with copies of arguments =
    (args, kwargs); stage() receives the name of the next step, in case the process crashes
    in it."""
    s = stream()

    def invoke(given):
        return call(*given[0], **given[1])

    stage("eager")
    torch.cuda.synchronize()  # the arguments come from another stream
    first = []
    with torch.cuda.stream(s):
        for _ in range(2):
            given = tree_map(fresh, arguments)
            try:
                out = invoke(given)
            except Exception as error:
                raise Skip(f"eager: {type(error).__name__}: "
                           f"{message_of(error)}") from error
            if needs_cuda and not touches_cuda((out, given)):
                raise Skip("no tensor on the device")
            torch.cuda.synchronize()
            first.append(result_of(out, given) if expect else None)
    torch.cuda.synchronize()
    random = expect and not same(*first)
    other = expected = None
    if expect:
        stage("vary")
        with torch.cuda.stream(s):
            other = tree_map(lambda t: varied(t, level), arguments)
            given = tree_map(fresh, other)
            try:
                out = invoke(given)
                torch.cuda.synchronize()
                expected = result_of(out, given)
            except Exception:
                expected = None
        torch.cuda.synchronize()

    stage("capture")
    static = tree_map(fresh, arguments)
    torch.cuda.synchronize()
    row = {"eager": True, "capture": "ok", "code": None}
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    SPOILED.append(graph)
    with torch.cuda.stream(s):
        graph.capture_begin(capture_error_mode="global")
        try:
            out = invoke(static)
        except Exception as error:
            row.update(capture="refused", code=code_of(str(error)),
                       message=message_of(error),
                       status_after=capture_status(s), replay="n/a")
            return row
        state = capture_status(s)
        try:
            graph.capture_end()
        except Exception as error:
            row.update(capture="refused", code=code_of(str(error)),
                       message="at the end: " + message_of(error),
                       status_after=state, replay="n/a")
            return row
        stage("replay")
        try:
            row["nodes"] = count_nodes(graph)
            graph.instantiate()
        except Exception as error:
            row.update(capture="refused", code=code_of(str(error)),
                       message="instantiation: " + message_of(error),
                       status_after=state, replay="n/a")
            return row
        row["replay"] = replay(graph, static, other, out, expected, random)
        if random and row["replay"] == "differs" and not seeded(call):
            row["replay"] = "n/a"  # part of the result is never written
    del out
    graph.reset()
    SPOILED.clear()
    torch.cuda.synchronize()
    return row


def seeded(call):
    return torch.Tag.nondeterministic_seeded in getattr(call, "tags", ())


def replay(graph, static, other, out, expected, random):
    """The results of the graph for different contents of the same arguments."""
    if expected is None or not assign(static, other):
        return "n/a"
    torch.cuda.synchronize()
    graph.replay()
    torch.cuda.synchronize()
    got = result_of(out, static)
    if not random:
        return "equal" if same(got, expected) else "differs"
    for _ in range(30):  # one number of a few may be drawn twice
        assign(static, other)
        graph.replay()
        torch.cuda.synchronize()
        if not same(got, result_of(out, static)):
            return "random"
    return "differs"
