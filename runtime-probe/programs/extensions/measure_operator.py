# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: measure_operator.py NUMBER LIBRARY. Makes the call RUNS[NUMBER] of operator_runs.py
with the operators in LIBRARY: without a capture, in a capture, and as a replay with different contents. Prints one line of JSON."""

import importlib.util
import json
import os
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "..", "conformance", "torch"))

import torch  # noqa: E402

import capture  # noqa: E402
import operator_runs  # noqa: E402
import nnpops_runs  # noqa: E402, F401
from projects import PROJECTS  # noqa: E402

# The contents of integer tensors, which are mostly indices, are not varied.
LEVEL = 1


def loaded(project, library):
    if not project.python:
        torch.ops.load_library(library)
        return torch.ops
    spec = importlib.util.spec_from_file_location(project.name, library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return types.SimpleNamespace(**{project.name: module})


def main():
    name, _, _, make = operator_runs.RUNS[int(sys.argv[1])]
    project = next(p for p in PROJECTS if p.name == name)
    function, arguments = make(loaded(project, sys.argv[2]))
    torch.cuda.synchronize()
    try:
        row = capture.measure(function, (arguments, {}), LEVEL)
    except capture.Skip as reason:
        row = {"skipped": str(reason)}
    print("ROW", json.dumps(row), flush=True)
    os._exit(0)  # a failed capture leaves state whose destruction may crash the process


if __name__ == "__main__":
    main()
