# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls a function once a module has been imported."""

import importlib.util
import sys


class _Finder:
    """This finder finds nothing itself. The loader that Python finds reports when it is
    done. The loader does not change, so that tools that request sources get them."""

    def __init__(self, name, then):
        self.name, self.then, self.busy = name, then, False

    def find_spec(self, name, path=None, target=None):
        if name != self.name or self.busy:
            return None
        self.busy = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.busy = False
        loader = getattr(spec, "loader", None)
        if loader is None or not hasattr(loader, "exec_module"):
            return None
        execute = loader.exec_module

        def exec_module(module):
            try:
                del loader.exec_module  # restores the class's own
            except AttributeError:
                pass
            execute(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                tell(self.then, module)

        try:
            loader.exec_module = exec_module
        except AttributeError:
            return None
        return spec


def tell(then, module):
    try:
        then(module)
    except Exception:
        pass


def when_imported(name, then):
    """Calls `then(module)` after the import of `name`; immediately if it is already
    imported."""
    if name in sys.modules:
        tell(then, sys.modules[name])
    else:
        sys.meta_path.insert(0, _Finder(name, then))
