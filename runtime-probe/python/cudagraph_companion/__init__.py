# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What only Python knows about a CUDA graph: which module or function a capture belongs
to, how often it ran before, and what PyTorch does with it. docs/probe.md, "Python",
describes what is reported, docs/probe-format.md the records.

The companion observes: a program gets the same results with it. If something here fails,
the companion stops, and the program goes on. It needs no package, and does nothing
before the program imports torch."""

import os

TRACE = "CUDAGRAPH_PROBE_TRACE"


def start():
    """Waits for torch to be imported. Does nothing outside `cudagraph-probe run`."""
    directory = os.environ.get(TRACE)
    if not directory or os.environ.get("CUDAGRAPH_PROBE_PYTHON") == "0":
        return
    from . import importing

    importing.when_imported("torch", lambda torch: _install(torch, directory))


def _install(torch, directory):
    from . import install

    install.install(torch, directory)
