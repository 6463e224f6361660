# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collects facts about a CUDA graph that are visible only in Python: the module or function of a capture,
how often it ran before, and how PyTorch uses it. docs/probe.md, "Python", describes
what is reported, and docs/probe-format.md describes the records.

The companion only observes: a program has the same results with it. If something here
fails, the companion stops, and the program continues. It needs no package, and does
nothing before the program imports torch."""

import os

TRACE = "CUDAGRAPH_PROBE_TRACE"


def start():
    """Waits for the import of torch. Does nothing outside `cudagraph-probe run`."""
    directory = os.environ.get(TRACE)
    if not directory or os.environ.get("CUDAGRAPH_PROBE_PYTHON") == "0":
        return
    from . import importing

    importing.when_imported("torch", lambda torch: _install(torch, directory))


def _install(torch, directory):
    from . import install

    install.install(torch, directory)
