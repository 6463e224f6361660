# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records the hooks of modules that ran in a capture. A replay runs no hooks. The GPU
work of a hook is in the graph, however, so only hooks without GPU work matter."""

import ctypes

from . import frames, names

CALLERS = ("torch/nn/modules/module.py", "torch/utils/hooks.py")
TABLES = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")
MOST = 64


class Hook:
    """A function of the program that ran as a hook in a capture."""

    def __init__(self, runs, kind, module, stack):
        self.runs, self.kind, self.module, self.stack = runs, kind, module, stack
        self.before = None  # nodes of the graph when it began
        self.on_device = self.returned = False
        self.at_end = None  # runs when the capture ended
        self.told = False

    def since(self):
        """Runs after the capture."""
        return self.runs.runs - self.at_end if self.at_end is not None else 0

    def record(self):
        code = self.runs.code
        return dict(kind=self.kind, module=self.module, function=frames.name_of(code),
                    file=code.co_filename, line=code.co_firstlineno)


def kind_of(frame):
    """Returns the kind and the module if `frame` is a hook of a module, else None."""
    above = next(frames.outward(frame.f_back), None) if frame.f_back else None
    if above is None or not any(frames.in_torch(above, c) for c in CALLERS):
        return None
    owner = frames.variables(above).get("self")
    module = owner if names.is_module(owner) else getattr(owner, "module", None)
    if frames.in_torch(above, CALLERS[1]):
        return "backward hook", module
    if not names.is_module(module) or not _is_hook(module, frame.f_code):
        return None
    return _table(module, frame.f_code), module


def _codes(hooks):
    for hook in list(hooks.values()):
        function = getattr(hook, "func", hook)  # a partial
        function = getattr(function, "__func__", function)
        code = getattr(function, "__code__", None)
        if code is None:
            code = getattr(getattr(type(function), "__call__", None), "__code__", None)
        if code is not None:
            yield code


def _table(module, code):
    for table in TABLES:
        if code in _codes(getattr(module, table, None) or {}):
            return table.strip("_").rstrip("s").replace("_", " ")
    return None


def _is_hook(module, code):
    return _table(module, code) is not None


class Nodes:
    """Counts the nodes of the graph that a stream is capturing, through the driver."""

    def __init__(self):
        self.info = self.nodes = None
        self.sought = False

    def _find(self):
        """Initialized only when needed, because it loads the driver."""
        self.sought = True
        try:
            driver = ctypes.CDLL("libcuda.so.1")
            self.nodes = driver.cuGraphGetNodes
            # The versions differ in the parameters after the graph, which are omitted.
            for name, left_out in (("cuStreamGetCaptureInfo_v2", 2),
                                   ("cuStreamGetCaptureInfo_v3", 3)):
                function = getattr(driver, name, None)
                if function is not None:
                    self.info = lambda *known, f=function, n=left_out: f(*known, *[None] * n)
                    return
        except (OSError, AttributeError):
            pass

    def count(self, stream):
        """The number of nodes, or None if it is not known."""
        if not self.sought:
            self._find()
        if self.info is None or not stream:
            return None
        status, number = ctypes.c_int(), ctypes.c_size_t()
        identity, graph = ctypes.c_uint64(), ctypes.c_void_p()
        if self.info(ctypes.c_void_p(stream), ctypes.byref(status), ctypes.byref(identity),
                     ctypes.byref(graph)) or status.value != 1 or not graph:
            return None
        if self.nodes(graph, None, ctypes.byref(number)):
            return None
        return number.value
