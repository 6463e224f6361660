# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds memory that PyTorch's caching allocators reclaim while a graph may use it. The
allocator of device memory records the Python stack of each allocation, and a snapshot
lists the allocations. Those that exist at the end of a capture are compared with those
before replays. The allocator of pinned memory lists nothing, so the tensors in pinned
memory that exist when a capture begins are found through the garbage collector."""

import contextlib
import gc
import os
import sys
import time
import types

from . import frames

MOST_BLOCKS = 512  # in one record
MOST_FRAMES = 12
SECONDS = 2.0  # for all snapshots of the process
TAKEN = "active_allocated"
COMPILER = "torch._inductor"


@contextlib.contextmanager
def _without_compiler(torch):
    """A snapshot would import torch._inductor to describe generated code; the import
    takes seconds. If the program has not imported it, there is no generated code."""
    if COMPILER in sys.modules or "_inductor" in vars(torch):
        yield
        return
    torch._inductor = empty = types.SimpleNamespace()
    try:
        yield
    finally:
        if vars(torch).get("_inductor") is empty:
            del torch._inductor


class Memory:
    def __init__(self, torch):
        self.torch = torch
        self.module = getattr(getattr(torch, "cuda", None), "memory", None)
        self.left = SECONDS
        record = getattr(self.module, "_record_memory_history", None)
        later = getattr(torch.cuda, "_lazy_call", None)
        off = (os.environ.get("CUDAGRAPH_PROBE_CAPTURES_ONLY") == "1"
               or not callable(record) or not callable(later)
               or not callable(getattr(self.module, "_snapshot", None)))
        if off:
            self.left = 0.0
            return
        # The allocator exists once CUDA is initialized.
        later(lambda: self._start(record))

    def _start(self, record):
        try:
            record("state", context="state", stacks="python")
        except Exception:
            self.left = 0.0  # another version of PyTorch

    def allocations(self):
        """Maps the address of memory that belongs to no graph to its size and Python
        frames; None if that is not known."""
        if self.left <= 0:
            return None
        begin = time.monotonic()
        found = {}
        with _without_compiler(self.torch):
            segments = self.module._snapshot()["segments"]
        for segment in segments:
            if tuple(segment.get("segment_pool_id", (0, 0))) != (0, 0):
                continue
            for block in segment["blocks"]:
                if block["state"] == TAKEN:
                    found[block["address"]] = (block["size"], block.get("frames") or ())
        self.left -= time.monotonic() - begin
        return found

    def pinned(self):
        """[(reference, address, bytes)] of the storages in pinned memory. Called outside
        captures, because CUDA is queried whether memory is pinned."""
        if self.left <= 0:
            return []
        begin, found = time.monotonic(), {}
        for each in gc.get_objects():
            if type(each) is self.torch.Tensor and not each.is_cuda:
                try:
                    storage = each.untyped_storage()
                    if storage.nbytes() and each.is_pinned():
                        found.setdefault(storage.data_ptr(), storage)
                except Exception:
                    continue  # a tensor without memory
        result = [(_Reference(storage), address, storage.nbytes())
                  for address, storage in list(found.items())[:MOST_BLOCKS]]
        self.left -= time.monotonic() - begin
        return result


class _Reference:
    """A weak reference to a storage: another tensor may share it."""

    def __init__(self, storage):
        kind = type(storage)
        # At exit, the names in modules may already be cleared.
        self.is_expired, self.free = kind._expired, kind._free_weak_ref
        self.handle = storage._weak_ref()

    def expired(self):
        return self.is_expired(self.handle)

    def __del__(self):
        self.free(self.handle)


class Held:
    """The allocations that existed when a capture ended, and the pinned ones from before
    it: PyTorch keeps those that the capture itself makes."""

    def __init__(self, memory, pinned):
        self.memory, self.pinned = memory, pinned
        self.blocks = memory.allocations() or {}

    def gone(self):
        """The records of those that no longer exist, each once."""
        return (self._device() + self._pinned())[:MOST_BLOCKS]

    def _pinned(self):
        expired = [each for each in self.pinned if each[0].expired()]
        self.pinned = [each for each in self.pinned if each not in expired]
        return [dict(address=hex(address), bytes=size, made=[], pinned=True)
                for _, address, size in expired]

    def _device(self):
        now = self.memory.allocations() if self.blocks else None
        if now is None:
            return []
        found = []
        for address, (size, made) in list(self.blocks.items()):
            same = now.get(address)
            if same is not None and same[0] == size and _places(same[1]) == _places(made):
                continue
            del self.blocks[address]
            taken = next((frames_ for start, (length, frames_) in now.items()
                          if start < address + size and address < start + length), None)
            found.append(dict(address=hex(address), bytes=size, made=_python(made),
                              **({"taken": _python(taken)} if taken is not None else {})))
        return found


def _places(stack):
    return [(f["filename"], f["line"]) for f in stack]


def _python(stack):
    """The form of Python stacks in the trace, without the companion and C++."""
    return [dict(file=f["filename"], line=f["line"], function=f["name"]) for f in stack
            if f["filename"].endswith(".py") and not f["filename"].startswith(frames.HERE)
            ][:MOST_FRAMES]
