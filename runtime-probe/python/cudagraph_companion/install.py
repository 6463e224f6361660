# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wraps PyTorch functions in observers. Each passes on the arguments,
the result, and exceptions unchanged; an observer that fails is
removed."""

import functools
import os
import platform

from . import distributed, importing
from .captures import Captures
from .record import Recorder

STATE = {}


def safely(function):
    """An observer that never raises, and does nothing after it has failed once."""
    failed = []

    def observer(*args):
        if failed:
            return
        try:
            function(*args)
        except Exception as e:
            failed.append(e.__class__)
            recorder = STATE.get("recorder")
            if recorder is not None:
                recorder.write("companion-problem", text=_text(e))
    return observer


def _text(error):
    """The failure, and its location in the companion."""
    last = error.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    place = f"{os.path.basename(last.tb_frame.f_code.co_filename)}:{last.tb_lineno}"
    return f"{type(error).__name__}: {error} ({place})"


def around(owner, name, before=None, after=None):
    """Calls `before(args, kwargs)` and `after(args, kwargs, error)` around the function.
    Returns False if there is no such function."""
    original = getattr(owner, name, None)
    if not callable(original):
        return False

    @functools.wraps(original)
    def wrapper(*args, **kwargs):
        if before is not None:
            before(args, kwargs)
        try:
            result = original(*args, **kwargs)
        except BaseException as e:
            if after is not None:
                after(args, kwargs, e)
            raise
        if after is not None:
            after(args, kwargs, None)
        return result

    try:
        setattr(owner, name, wrapper)
    except (AttributeError, TypeError):
        return False
    return True


def install(torch, directory):
    cuda = getattr(torch, "cuda", None)
    graph = getattr(cuda, "CUDAGraph", None)
    if graph is None or not hasattr(graph, "capture_begin"):
        return None
    recorder = STATE["recorder"] = Recorder(directory, lambda: _versions(torch))
    captures = STATE["captures"] = Captures(torch, recorder)
    around(graph, "capture_begin",
           safely(lambda args, kwargs: captures.begin(args[0], kwargs)),
           safely(lambda args, kwargs, e: e is not None and captures.end(args[0], e)))
    around(graph, "capture_end", None,
           safely(lambda args, kwargs, e: captures.end(args[0], e)))
    _replay(graph, captures)
    around(graph, "reset", None,
           safely(lambda args, kwargs, e: captures.reset(args[0])))
    block = getattr(cuda, "graph", None)
    if hasattr(block, "__exit__"):
        around(block, "__exit__", safely(lambda args, kwargs: _exits(captures, args)))
    _callables(cuda, captures)
    _autograd(torch, captures)
    _distributed(torch, captures)
    return captures


def _replay(graph, captures):
    """The only function that is called often: observed only while needed."""
    original = getattr(graph, "replay", None)
    if original is None:
        return
    closed, check = captures.closed, safely(captures.replayed)

    @functools.wraps(original)
    def replay(self):
        block = closed.get(id(self))
        if block is not None:
            count = block.replays = block.replays + 1
            if not count & (count - 1):
                check(self, block)
        return original(self)

    captures.look = lambda: setattr(graph, "replay", replay)
    captures.settled = lambda: setattr(graph, "replay", original)


def _exits(captures, args):
    graph = getattr(args[0], "cuda_graph", None)
    if graph is not None and len(args) > 2 and isinstance(args[2], BaseException):
        captures.raised(graph, args[2])


def _callables(cuda, captures):
    """make_graphed_callables throws its own exceptions before it captures."""
    def after(args, kwargs, error):
        if error is not None and not captures.open:
            captures.thrown("make_graphed_callables", error)

    for owner in (cuda, getattr(cuda, "graphs", None)):
        if owner is not None:
            around(owner, "make_graphed_callables", None, safely(after))
    importing.when_imported(
        "transformer_engine.pytorch.graph",
        lambda graph: around(graph, "make_graphed_callables", None, safely(after)))


def _autograd(torch, captures):
    parallel = getattr(getattr(torch, "nn", None), "parallel", None)
    ddp = getattr(parallel, "DistributedDataParallel", None)
    if ddp is not None:
        around(ddp, "__init__",
               safely(lambda args, kwargs: captures.made.note("DistributedDataParallel")))
    for name in ("register_hook", "register_post_accumulate_grad_hook"):
        def before(args, kwargs, name=name):
            if args and args[0].is_leaf and args[0].requires_grad:
                captures.made.note(name)
        around(torch.Tensor, name, safely(before))


def _distributed(torch, captures):
    package = getattr(torch, "distributed", None)
    c10d = getattr(package, "distributed_c10d", None)
    for name in ("destroy_process_group", "_abort_process_group", "abort_process_group"):
        original = getattr(c10d, name, None)
        if original is None:
            continue

        def before(args, kwargs, name=name):
            captures.destroyed(args[0] if args else kwargs.get("group"), name)
        around(c10d, name, safely(before))
        if getattr(package, name, None) is original:
            setattr(package, name, getattr(c10d, name))


def _versions(torch):
    place = distributed.rank(torch) or (_number("RANK"), _number("WORLD_SIZE"))
    captures = STATE.get("captures")
    return dict(python=platform.python_version(), torch=str(torch.__version__),
                counted=bool(captures and captures.counter.counts),
                **({"rank": place[0], "world": place[1]} if place[0] is not None else {}))


def _number(name):
    try:
        return int(os.environ[name])
    except (KeyError, ValueError):
        return None
