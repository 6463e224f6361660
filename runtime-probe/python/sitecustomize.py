# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python imports this module at startup if `cudagraph-probe run` has put its folder on
PYTHONPATH. It starts the companion, restores sys.path, and imports the sitecustomize
that it hides, if there is one."""


def _start():
    import os
    import sys

    here = os.path.dirname(os.path.abspath(__file__))
    try:
        import cudagraph_companion

        cudagraph_companion.start()
    except Exception:  # the program runs as without the probe
        pass
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
    sys.path_importer_cache.pop(here, None)
    mine = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401  the machine's own
    except ModuleNotFoundError as e:
        if e.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = mine


_start()
del _start
