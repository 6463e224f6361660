# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds names for the captured code: the block, the callable, or the module."""

import itertools
import sys
import weakref

from . import frames

MOST_MODULES = 20000
GRAPHS = "torch/cuda/graphs.py"
TREES = "torch/_inductor/cudagraph_trees.py"


def is_module(value):
    """A PyTorch module; checks only its type, because values may be proxies."""
    torch = sys.modules.get("torch")
    module = getattr(getattr(torch, "nn", None), "Module", None)
    return module is not None and issubclass(type(value), module)


def path_of(module, frame):
    """The program's path to `module`, such as "model.layers.0": through the outermost
    name from `frame`."""
    found = None
    for each in frames.outward(frame):
        if frames.is_library(each.f_code):
            continue
        for name, value in frames.variables(each).items():
            if name == "self":  # an outer name is more specific
                continue
            roots = value if type(value) in (list, tuple) else [value]
            for index, root in enumerate(roots[:8]):
                path = _paths(root).get(id(module)) if is_module(root) else None
                if path is not None:
                    start = name if root is value else f"{name}[{index}]"
                    found = f"{start}.{path}" if path else start
    return found


_known = {}


def _paths(root):
    """Maps the id of each module to its path from `root`. Searched once, because
    modules are rarely created or destroyed."""
    known = _known.get(id(root))
    if known is None or known[0]() is not root:
        modules = itertools.islice(root.named_modules(), MOST_MODULES)
        known = _known[id(root)] = weakref.ref(root), {id(m): n for n, m in modules}
    return known[1]


def of_module(module, frame):
    """"model.layers.0 (Linear)", or the type alone."""
    path = path_of(module, frame)
    return f"{path} ({type(module).__name__})" if path else type(module).__name__


def _of_callables(graph, variables, frame):
    """In make_graphed_callables: the callable and its pass."""
    for key, way in (("fwd_graphs", "forward"), ("bwd_graphs", "backward"),
                     ("fwd_graph", "forward"), ("bwd_graph", "backward")):
        graphs = variables.get(key)
        graphs = list(graphs) if isinstance(graphs, (list, tuple)) else [graphs]
        index = next((i for i, g in enumerate(graphs) if g is graph), None)
        if index is None:
            continue
        callables = variables.get("callables")
        if isinstance(callables, (list, tuple)) and index < len(callables):
            what = callables[index]
            name = (of_module(what, frame) if is_module(what)
                    else getattr(what, "__qualname__", type(what).__name__))
            return f"{way} of {name}"
        return way
    return None


def _of_owner(graph, variables, frame):
    """The object that owns the graph: "_CudaGraphRunner.fwd_graph of decoder.0 (Layer)"."""
    owner = variables.get("self")
    if owner is None or owner is graph:
        return None
    try:
        fields = {**{k: v for c in reversed(type(owner).__mro__) for k, v in vars(c).items()},
                  **vars(owner)}
    except TypeError:
        return None
    for key, value in fields.items():
        entries = value.items() if type(value) is dict else [(None, value)]
        for entry, kept in entries:
            if kept is graph:
                name = f"{type(owner).__name__}.{key}" + (f"[{entry!r}]" if entry else "")
                module = next((v for v in (fields.get("base_module"),
                                           *(fields.get("_modules") or {}).values(),
                                           owner) if is_module(v)), None)
                return f"{name} of {of_module(module, frame)}" if module is not None else name
    return None


def block(graph, frame):
    """Returns the kind, the name, and the frame that holds the block, for a capture
    that begins in `frame`, the one that called PyTorch's function."""
    kind, name = "capture_begin", None
    holder, entering = frame, True
    for depth, each in enumerate(frames.outward(frame)):
        if depth > 25:
            break
        function = each.f_code.co_name
        if frames.in_torch(each, GRAPHS) and function == "__enter__":
            kind = "torch.cuda.graph"
            continue
        # Frames between the `with` statement and PyTorch.
        if entering and (frames.is_manager(each) or frames.is_library(each.f_code) and (
                function in ("__enter__", "enter_context", "_enter_context"))):
            continue
        if entering:
            holder, entering = each, False
        if frames.in_torch(each, TREES):
            return "torch.compile", _of_compile(frames.variables(each)) or "a compiled function", holder
        if "make_graphed_callables" in function:
            return function.lstrip("_"), _of_callables(graph, frames.variables(each), each), holder
        name = name or _of_owner(graph, frames.variables(each), each)
        if not frames.is_library(each.f_code):
            break
    return kind, name or _of_function(holder), holder


def _of_compile(variables):
    wrapped = variables.get("wrapped_function") or getattr(
        variables.get("self"), "wrapped_function", None)
    number = getattr(getattr(wrapped, "id", None), "id", None)
    return None if number is None else f"compiled function {number}"


def _of_function(frame):
    name = frames.name_of(frame.f_code)
    if name == "<module>":
        return None
    owner = frames.variables(frame).get("self")
    if is_module(owner):
        return of_module(owner, frame)
    return name
