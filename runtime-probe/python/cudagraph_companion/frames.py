# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frames: the owner of their code, and their form in a record."""

import os
import re
import sys
import sysconfig

HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
MOST = 40
_GENERATOR = 32  # CO_GENERATOR
_OPTIMIZED = 1  # CO_OPTIMIZED: the variables of a function, not a namespace
_libraries = tuple({
    os.path.abspath(p) + os.sep
    for name in ("stdlib", "platstdlib", "purelib", "platlib")
    for p in [sysconfig.get_paths().get(name)] if p})
_known = {}
# Files of torch.compile: a hash, in a folder named after two of its letters.
_generated = re.compile(r"[/\\][a-z0-9]{2}[/\\]c[a-z2-7]{40,60}\.py$")


def is_own(code):
    """True for the companion's functions."""
    return code.co_filename.startswith(HERE)


def is_library(code):
    """True for the standard library, installed packages, and generated code."""
    name = code.co_filename
    known = _known.get(name)
    if known is None:
        known = _known[name] = (
            name.startswith("<") or name.startswith(HERE)
            or "site-packages" in name or "dist-packages" in name
            or _generated.search(name) is not None
            or os.path.abspath(name).startswith(_libraries))
    return known


def in_torch(frame, tail):
    """True if `frame` runs code of a PyTorch file, such as "torch/cuda/graphs.py"."""
    return frame.f_code.co_filename.replace(os.sep, "/").endswith("/" + tail)


def is_manager(frame):
    """True for a generator that contextlib runs as a context manager."""
    above = frame.f_back
    return (frame.f_code.co_flags & _GENERATOR and above is not None
            and above.f_code.co_filename.endswith("contextlib.py"))


def caller():
    """The innermost frame outside the companion."""
    frame = sys._getframe(1)
    while frame is not None and is_own(frame.f_code):
        frame = frame.f_back
    return frame


def outward(frame):
    """The frames from `frame` to the outermost, without the companion's."""
    while frame is not None:
        if not is_own(frame.f_code):
            yield frame
        frame = frame.f_back


def describe(frame):
    return {"file": frame.f_code.co_filename, "line": frame.f_lineno or 0,
            "function": frame.f_code.co_name}


def stack(frame):
    """The form of Python stacks in the trace: innermost first."""
    return [describe(f) for f, _ in zip(outward(frame), range(MOST))]


def of_traceback(traceback):
    """The frames of an exception, from the innermost to the outermost of the thread."""
    found, outside = [], traceback.tb_frame.f_back if traceback is not None else None
    while traceback is not None:
        if not is_own(traceback.tb_frame.f_code):
            found.append({"file": traceback.tb_frame.f_code.co_filename,
                          "line": traceback.tb_lineno or 0,
                          "function": traceback.tb_frame.f_code.co_name})
        traceback = traceback.tb_next
    return [*found[::-1], *(stack(outside) if outside is not None else ())][:MOST]


def variables(frame):
    """The local variables of `frame`. Before Python 3.13, the frame stores this
    dictionary, and with it the values; that must not extend the lifetime of a tensor."""
    try:
        found = frame.f_locals
        copy = dict(found)
        # A profiler or a tracer writes them back to the frame.
        if (sys.version_info < (3, 13) and frame.f_code.co_flags & _OPTIMIZED
                and sys.getprofile() is None and sys.gettrace() is None):
            found.clear()
        return copy
    except Exception:
        return {}


def variable(frame, name):
    """One variable of the function, or otherwise of its module."""
    found = variables(frame)
    return found[name] if name in found else frame.f_globals.get(name)


def name_of(code):
    return getattr(code, "co_qualname", code.co_name)
