# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds outputs of a graph to which a program accumulates references. Each replay overwrites
the output, so all references lead to the values of the last one."""

import sys
import weakref

from . import frames
from .inputs import tensor_of

MOST = 64
LEAST = 7  # replays that have each added a reference: a program may keep a few


class Output:
    """A variable that the block has assigned."""

    def __init__(self, name, tensor):
        self.name, self.ref, self.first = name, weakref.ref(tensor), None


class Outputs:
    """The outputs of one capture."""

    def __init__(self, torch, holder):
        self.torch, self.outputs = torch, []
        self.before = {name: id(value) for name, value in self._tensors(holder)}

    def close(self, holder):
        """Stores the variables that the block has assigned a different tensor to."""
        self.outputs = [Output(name, value) for name, value in self._tensors(holder)
                        if self.before.get(name) != id(value)][:MOST]
        self.before = {}

    def check(self, replays):
        """[(name, references)] of outputs with a new reference from each of the replays.
        Called before a replay, and counts that replay."""
        found = []
        for output in list(self.outputs):
            references = self._references(output.ref())
            if references is None:
                self.outputs.remove(output)
            elif output.first is None:
                output.first = references
            elif replays > LEAST and references - output.first >= replays - 1:
                found.append((output.name, references - output.first))
                self.outputs.remove(output)
        return found

    def _references(self, tensor):
        """The number of references to the tensor, and to its memory by other tensors."""
        if tensor is None:
            return None
        uses = getattr(self.torch._C, "_storage_Use_Count", None)
        shared = uses(tensor.untyped_storage()._cdata) if uses else 0
        return sys.getrefcount(tensor) + shared

    def _tensors(self, frame):
        found = list(frames.variables(frame).items())
        return [(name, value) for name, value in found
                if tensor_of(value, self.torch) is not None]
