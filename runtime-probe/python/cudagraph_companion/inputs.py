# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records the names that a captured block reads, and the objects to which they refer at
each replay. A graph reads the tensors with which it was captured, even if the names
refer to different tensors later."""

import gc
import weakref

from . import frames, sources

MOST_NAMES = 4000
MOST_FUNCTIONS = 200


def tensor_of(value, torch):
    """`value` if it is a tensor in a GPU's memory, else None."""
    try:
        if issubclass(type(value), torch.Tensor) and value.is_cuda and value.data_ptr():
            return value
    except Exception:
        pass
    return None


class Name:
    """One name: how to look it up, and its value at the capture."""

    def __init__(self, text, look, tensor):
        self.text, self.look = text, look
        self.ref, self.address = weakref.ref(tensor), tensor.data_ptr()
        self.shape, self.dtype = tuple(tensor.shape), str(tensor.dtype)
        self.version = _version(tensor)
        self.told = False

    def rebound(self, value):
        """True if the name now refers to different memory, and nothing updates the
        memory that the graph reads."""
        if value is None or value.data_ptr() == self.address:
            return False
        if tuple(value.shape) != self.shape or str(value.dtype) != self.dtype:
            return False
        old = self.ref()
        if old is None or old is value:
            return True
        return _version(old) == self.version


def _version(tensor):
    try:
        return tensor._version
    except Exception:
        return None


class Inputs:
    """The inputs of one capture."""

    def __init__(self, torch, holder, with_line):
        self.torch, self.names = torch, {}
        self.functions, self.modules = {}, set()
        self.holder = (id(holder), holder.f_code)
        self.body = sources.Body(holder.f_code.co_filename, with_line) if with_line else None
        self.before = self._of_body(holder)

    def ran(self, frame):
        """Called when a function of the program has run in the capture."""
        if len(self.functions) < MOST_FUNCTIONS and frame.f_code not in self.functions:
            owner = frames.variables(frame).get("self")
            self.functions[frame.f_code] = (frame.f_globals, _weak(owner))

    def close(self, holder):
        """Stores the names that the block has read and not replaced itself."""
        after = self._of_body(holder)
        for text, (look, value) in self.before.items():
            now = value()
            if now is not None and text in after and after[text][1]() is now:
                self._add(text, look, now)
        for code, (variables, owner) in self.functions.items():
            self._of_function(code, variables, owner)
        self.before = {}

    def check(self, frame):
        """Returns, for each name that is rebound, the name, whether its tensor was
        freed, the line of the store or None, and the address. `frame` is the one that
        replays."""
        found = []
        for name in self.names.values():
            if name.told:
                continue
            value = tensor_of(name.look(frame), self.torch)
            if value is not None and name.rebound(value):
                name.told = True
                line = sources.stores(frame.f_code, name.text.split(".")[-1],
                                      frame.f_lineno or 0)
                found.append((name.text, name.ref() is None, line, name.address))
        return found

    def _of_body(self, holder):
        found = {}
        for chain in sorted(self.body.chains) if self.body else ():
            look = _looker(chain, self.holder)
            value = look(holder)
            if tensor_of(value, self.torch) is not None or self._is_module(value):
                found[".".join(chain)] = (look, weakref.ref(value))
        return found

    def _of_function(self, code, variables, owner):
        global_names, cells, attributes = sources.reads(code)
        for name in global_names:
            self._add(name, lambda _, n=name, v=variables: v.get(n), variables.get(name))
        for name in attributes:
            value = _attribute(owner() if owner else None, name)
            self._add("self." + name, lambda _, n=name, o=owner: _attribute(o(), n), value)
        if owner is not None and self._is_module(owner()):
            self._of_module("self", owner())
        for function in _functions(code) if cells else ():
            for index, name in enumerate(code.co_freevars):
                look = _cell_of(weakref.ref(function), index)
                self._add(name, look, look(None))

    def _add(self, text, look, value):
        if len(self.names) >= MOST_NAMES or text in self.names:
            return
        tensor = tensor_of(value, self.torch)
        if tensor is not None:
            self.names[text] = Name(text, look, tensor)
        elif self._is_module(value):
            self._of_module(text, value)

    def _is_module(self, value):
        return issubclass(type(value), self.torch.nn.Module)

    def _of_module(self, text, module):
        if id(module) in self.modules:
            return
        for prefix, each in module.named_modules():
            self.modules.add(id(each))
            owner = weakref.ref(each)
            for table in ("_parameters", "_buffers"):
                for name, value in list(getattr(each, table, {}).items()):
                    full = ".".join(p for p in (text, prefix, name) if p)
                    self._add(full, lambda _, o=owner, t=table, n=name:
                              getattr(o(), t, {}).get(n), value)


def _looker(chain, holder):
    identity, code = holder

    def look(frame):
        for each in frames.outward(frame):
            if id(each) == identity and each.f_code is code:
                value = frames.variable(each, chain[0])
                break
        else:
            return None
        for attribute in chain[1:]:
            value = _attribute(value, attribute)
        return value
    return look


def _attribute(value, name):
    """Looks up without running code of the program: properties are not evaluated."""
    try:
        fields = vars(value)
    except TypeError:
        return None
    for table in (fields, fields.get("_parameters"), fields.get("_buffers"),
                  fields.get("_modules")):
        if table and name in table:
            return table[name]
    return None


def _weak(value):
    try:
        return weakref.ref(value) if value is not None else None
    except TypeError:
        return None


def _functions(code):
    return [f for f in gc.get_referrers(code)
            if type(f).__name__ == "function" and f.__code__ is code][:4]


def _cell_of(function, index):
    def look(_):
        try:
            return function().__closure__[index].cell_contents
        except (AttributeError, IndexError, TypeError, ValueError):
            return None
    return look
