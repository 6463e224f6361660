# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The companion's data about each capture, from its beginning to the last replay."""

import atexit
import itertools
import threading
import weakref

from . import autograd, distributed, frames, hooks, inputs, names, outputs
from .memory import Held, Memory
from .runs import Counter, current_stream

MOST_BLOCKS = 512
MOST_RUNS = 8
LOOKS = 4096  # number of replays of each graph that are examined


class Block:
    """One capture."""

    def __init__(self, number, graph, frame):
        self.id, self.graph = number, weakref.ref(graph)
        self.tid = threading.get_native_id()
        self.kind, self.name, holder = names.block(graph, frame)
        self.python = frames.stack(frame)
        self.holder, self.code = id(holder), holder.f_code
        self.runs, self.hooks, self.replays = [], [], 0
        self.parallel = False  # DistributedDataParallel ran in it
        self.stream, self.groups, self.inputs, self.error = None, {}, None, None
        self.outputs = None
        self.pinned, self.held = [], None  # memory outside the graph


class Captures:
    def __init__(self, torch, recorder):
        self.torch, self.recorder = torch, recorder
        ddp = getattr(getattr(torch.nn, "parallel", None), "DistributedDataParallel", None)
        self.parallel = getattr(getattr(ddp, "forward", None), "__code__", None)
        self.counter = Counter(torch, self)
        self.made, self.live = autograd.Made(torch), distributed.Live()
        self.memory = Memory(torch)
        self.nodes, self.numbers = hooks.Nodes(), itertools.count(1)
        self.open, self.closed = {}, {}
        self.look = self.settled = lambda: None  # start and stop the observation of replays
        atexit.register(self.finish)

    # Captures.

    def begin(self, graph, arguments):
        number = next(self.numbers)
        frame = frames.caller()
        if number > MOST_BLOCKS or frame is None:
            return
        block = Block(number, graph, frame)
        block.stream = current_stream(self.torch)
        self.open[id(graph)] = block
        self._autocast(block)
        block.groups = distributed.groups(self.torch)
        if block.kind != "torch.compile":
            block.pinned = self.memory.pinned()
        holder = next((f for f in frames.outward(frame) if id(f) == block.holder), frame)
        if block.kind in ("torch.cuda.graph", "capture_begin"):
            line = holder.f_lineno if block.kind == "torch.cuda.graph" else None
            block.inputs = inputs.Inputs(self.torch, holder, line)
            block.outputs = outputs.Outputs(self.torch, holder)
        self.recorder.write("block", id=block.id, kind=block.kind, name=block.name,
                            stream=hex(block.stream or 0), python=block.python)
        self.counter.begin()

    def raised(self, graph, error):
        """Records an exception that was raised in the block of torch.cuda.graph."""
        block = self.open.get(id(graph))
        if block is not None and block.error is None:
            block.error = self._describe(block, error)

    def end(self, graph, error):
        block = self.open.pop(id(graph), None)
        if block is None:
            return
        self.counter.end()
        if error is not None and block.error is None:
            block.error = self._describe(block, error)
        held = distributed.captured(block.groups, distributed.groups(self.torch))
        if error is None and block.error is None:
            self._completed(block, graph, held)
        self.recorder.write(
            "block-end", id=block.id, **({"error": block.error} if block.error else {}),
            runs=[self._run(block, r) for r in block.runs[:MOST_RUNS]],
            counted=self.counter.counts, groups=held)

    def _completed(self, block, graph, held):
        for hook in block.hooks:
            hook.at_end = hook.runs.runs
        if block.inputs is not None:
            frame = next((f for f in frames.outward(frames.caller())
                          if id(f) == block.holder and f.f_code is block.code), None)
            if frame is not None:
                block.inputs.close(frame)
                block.outputs.close(frame)
        if block.kind != "torch.compile":
            block.held = Held(self.memory, block.pinned)
        self.live.add(graph, block.id, held)
        number = id(graph)
        self.look()
        self.closed[number] = block
        block.graph = weakref.ref(graph, lambda _: self._forget(number, block))

    def _run(self, block, entry):
        before = getattr(entry, "before", None)
        return dict(function=frames.name_of(entry.code), file=entry.code.co_filename,
                    line=entry.code.co_firstlineno, before=before,
                    streams=[hex(s) for s in entry.streams], ddp=block.parallel)

    def _describe(self, block, error):
        found = dict(type=type(error).__name__, message=str(error)[:2000],
                     python=frames.of_traceback(error.__traceback__))
        if autograd.is_backward(error.__traceback__):
            found["made"] = [*self.made.elsewhere(block.stream or 0),
                             *autograd.kept(self.torch, self.counter, block.stream)]
        return found

    def thrown(self, what, error):
        """Records an exception of a PyTorch function that has not captured anything yet."""
        self.recorder.write("thrown", what=what, type=type(error).__name__,
                            message=str(error)[:2000],
                            python=frames.of_traceback(error.__traceback__))

    def _autocast(self, block):
        try:
            on = any(self.torch.is_autocast_enabled(*a) for a in (("cuda",), ()))
        except TypeError:
            on = self.torch.is_autocast_enabled()
        if on and self.torch.is_autocast_cache_enabled() and block.kind != "torch.compile":
            self.recorder.write("autocast-cache", block=block.id, python=block.python)

    # Functions that run in a capture.

    def _block_of(self):
        tid = threading.get_native_id()
        mine = [b for b in self.open.values() if b.tid == tid]
        if mine:
            return mine[-1], True
        blocks = list(self.open.values())
        return (blocks[0], False) if len(blocks) == 1 else (None, False)

    def seen(self, frame, entry):
        block, here = self._block_of()
        if block is None:
            return
        if len(block.hooks) < hooks.MOST and (is_hook := hooks.kind_of(frame)):
            return self._hook(block, frame, entry, *is_hook)
        if not here:
            return
        if block.inputs is not None:
            block.inputs.ran(frame)
        if (len(block.runs) < MOST_RUNS and entry not in block.runs
                and not entry.code.co_name.startswith(("<gen", "<list", "<dict", "<set"))
                and self._direct(block, frame)):
            entry.before = entry.runs - 1 if self.counter.counts else None
            block.runs.append(entry)

    def _direct(self, block, frame):
        """True if only library code is between `frame` and the block."""
        for each in frames.outward(frame.f_back):
            if id(each) == block.holder:
                return True
            if not frames.is_library(each.f_code):
                return False
        return False

    def library(self, code):
        """A function of a library that starts during a capture."""
        if code is self.parallel:
            block, _ = self._block_of()
            if block is not None:
                block.parallel = True

    def _hook(self, block, frame, entry, kind, module):
        hook = next((h for h in block.hooks if h.runs is entry), None)
        if hook is None:
            name = names.of_module(module, frame.f_back) if names.is_module(module) else None
            hook = hooks.Hook(entry, kind, name, frames.stack(frame)[:8])
            block.hooks.append(hook)
            entry.keep = True
        hook.before = self.nodes.count(block.stream)
        self.counter.watch_return(frame.f_code)

    def left(self, frame, value):
        block, _ = self._block_of()
        hook = block and next((h for h in block.hooks if h.runs.code is frame.f_code), None)
        if not hook:
            return
        after = self.nodes.count(block.stream)
        hook.on_device |= after is None or after != hook.before
        hook.returned |= value is not None

    # Replays.

    def replayed(self, graph, block):
        """Runs before the replays whose number is a power of two: the others cost one
        lookup."""
        if block.graph() is not graph:
            return
        if block.inputs is not None:
            self._rebound(block, frames.caller())
            self._collected(block)
        if block.held is not None:
            self._gone(block)
        if block.replays > 1:
            self._hooks(block)
        if block.replays >= LOOKS and all(b.replays >= LOOKS for b in self.closed.values()):
            self.settled()

    def _rebound(self, block, frame):
        frame = next((f for f in frames.outward(frame)
                      if not frames.is_library(f.f_code)), frame)
        for name, freed, line, address in block.inputs.check(frame):
            here = frames.stack(frame)
            self.recorder.write("rebound", block=block.id, name=name, freed=freed,
                                store=line, replays=block.replays, python=here,
                                address=hex(address))

    def _collected(self, block):
        for name, references in block.outputs.check(block.replays):
            self.recorder.write("collected", block=block.id, name=name, count=references,
                                replays=block.replays - 1,
                                python=frames.stack(frames.caller()))

    def _gone(self, block):
        gone = block.held.gone()
        if gone:
            self.recorder.write("gone", block=block.id, replays=block.replays, blocks=gone,
                                python=frames.stack(frames.caller()))

    def _hooks(self, block):
        for hook in block.hooks:
            if hook.told or hook.on_device or hook.returned or not self.counter.counts:
                continue
            since, replays = hook.since(), block.replays - 1
            if replays > 0 and since < replays:
                hook.told = True
                self.recorder.write("hook", block=block.id, replays=replays, since=since,
                                    **hook.record())

    # Ends.

    def reset(self, graph):
        self.live.drop(graph)
        if id(graph) in self.closed:
            self._forget(id(graph), self.closed[id(graph)])

    def _forget(self, number, block):
        if self.closed.get(number) is block:
            del self.closed[number]
            self._last(block)

    def _last(self, block):
        block.replays += 1  # as if another one followed
        self._hooks(block)
        block.replays -= 1
        self.recorder.write("replays", block=block.id, count=block.replays)

    def destroyed(self, group, how):
        frame = frames.caller()
        own = next((f for f in frames.outward(frame) if not frames.is_library(f.f_code)), frame)
        held = self.live.held(distributed.name_of(self.torch, group))
        if held:
            self.recorder.write("destroy", how=how, held=held, python=frames.stack(frame))
            distributed.warn(held, f"{own.f_code.co_filename}:{own.f_lineno}")

    def finish(self):
        for block in list(self.closed.values()):
            self._last(block)
        self.closed.clear()
