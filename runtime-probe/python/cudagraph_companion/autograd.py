# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds nodes of the autograd graph that were created on a stream other than the
capturing one. The backward pass runs each node on the stream on which it was created,
and waits for it there: in a capture, CUDA refuses that (906 in a thread
`pt_autograd_N`, which runs no Python code)."""

import gc
import sys

from . import frames, names, sources
from .runs import current_stream

ENGINE = "_engine_run_backward"
MOST_MADE = 64


class Made:
    """The creation of objects that keep such nodes alive: DistributedDataParallel, and
    hooks of parameters."""

    def __init__(self, torch):
        self.torch, self.places = torch, []

    def note(self, what, owner=None):
        """Records that `what` creates nodes here, on the current stream."""
        frame = frames.caller()
        while frame is not None and frames.is_library(frame.f_code):
            frame = frame.f_back
        stream = current_stream(self.torch)
        if frame is None or stream is None or len(self.places) >= MOST_MADE:
            return
        place = dict(what=what, stream=hex(stream), python=frames.stack(frame)[:8])
        if place not in self.places:
            self.places.append(place)

    def elsewhere(self, stream):
        return [p for p in self.places if p["stream"] != hex(stream)]


def is_backward(traceback):
    """True if the exception comes from the engine of the backward pass."""
    while traceback is not None:
        if traceback.tb_frame.f_code.co_name in (ENGINE, "backward", "grad"):
            return True
        traceback = traceback.tb_next
    return False


def kept(torch, counter, stream):
    """The owners of nodes that were created on streams other than `stream`: variables with
    results of an earlier pass, and objects that contain the nodes themselves."""
    found = []
    nodes, results = [], []
    for each in gc.get_objects():
        kind = type(each)
        try:
            if kind.__name__ == "AccumulateGrad":
                nodes.append(each)
            elif issubclass(kind, torch.Tensor) and each.grad_fn is not None:
                results.append(each)
        except Exception:
            continue
    for value in results:
        found.extend(_variables(value))
    for owner in _owners(nodes):
        entry = counter.of(getattr(type(owner).__init__, "__code__", None))
        if entry is None or not entry.first:
            continue
        streams = [s for s in entry.streams if s != stream]
        if streams:
            found.append(dict(what=type(owner).__name__, stream=hex(streams[0]),
                              python=entry.first))
    return found[:8]


def _variables(value):
    """Variables of running functions, or of their modules, that refer to `value`."""
    for thread in sys._current_frames().values():
        spaces = set()
        for frame in frames.outward(thread):
            if frames.is_library(frame.f_code):
                continue
            places = [frames.variables(frame)]
            if id(frame.f_globals) not in spaces:
                spaces.add(id(frame.f_globals))
                places.append(frame.f_globals)
            for variables in places:
                name = next((n for n, v in list(variables.items()) if v is value), None)
                if name is None:
                    continue
                line = sources.stores(frame.f_code, name, frame.f_lineno or 0)
                if line:
                    yield dict(what="variable", name=name, python=[dict(
                        file=frame.f_code.co_filename, line=line,
                        function=frame.f_code.co_name)])


def _owners(nodes):
    """Objects of the program whose lists or dictionaries contain one of `nodes`."""
    seen, found = set(), []
    for container in gc.get_referrers(*nodes) if nodes else ():
        if container is nodes or not isinstance(container, (list, tuple, dict)):
            continue
        for owner in [container, *gc.get_referrers(container)]:
            for each in [owner, *(gc.get_referrers(owner) if type(owner) is dict else ())]:
                if id(each) in seen or not names.is_module(each):
                    continue
                seen.add(id(each))
                found.append(each)
        if len(found) >= 8:
            break
    return found
