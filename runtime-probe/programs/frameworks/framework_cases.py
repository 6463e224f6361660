# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The findings that run_frameworks.py expects in the wrong variant of each program; the
right variant has none.

A case: program, case, and
  finds   expected findings of the wrong variant, each {kind, code}
  also    other kinds that may be reported in the wrong variant
  needs   Python modules; source: the checkout whose folder must be named
  ranks   processes, each with its own GPU; gpus: number of GPUs of one process
  marked  the source that has the markers, if it is not the program"""


def case(program, name, kind, code=None, also=(), needs=("torch",), marked=None, **more):
    return dict(program=program, case=name, finds=[dict(kind=kind, code=code)],
                also=list(also), needs=list(needs), marked=marked or program, **more)


def refused(program, name, code, **more):
    return case(program, name, "refused", code, **more)


PYTHON = "torch_python.py"
CASES = [
    # The casts from before the capture are freed with the region, and the graph reads them.
    case(PYTHON, "autocast", "autocast-cache", also=["freed-memory"]),
    case(PYTHON, "hooks", "skipped-hook"),
    case(PYTHON, "rebound", "rebound-tensor"),
    case(PYTHON, "parameter", "rebound-tensor"),
    case(PYTHON, "gone", "freed-memory"),
    refused(PYTHON, "thread_local", 900),
    case(PYTHON, "generator", "thrown"),
    case(PYTHON, "default_stream", "thrown"),
    case(PYTHON, "host_tensor", "thrown"),
    case(PYTHON, "host_index", "thrown"),
    refused(PYTHON, "clip", 900),
    refused(PYTHON, "scaler", 900),
    case(PYTHON, "optimizer", "thrown"),
    case(PYTHON, "callables_autocast", "thrown"),
    case(PYTHON, "callables_hooks", "thrown"),
    case(PYTHON, "seed", "thrown"),
    refused(PYTHON, "accumulate", 906),
    refused(PYTHON, "warm_up", 900),
    case("torch_memory.py", "pinned", "freed-memory"),
    case("torch_memory.py", "collected", "overwritten-output"),
    refused("torch_ddp.py", "whole", 906),
    refused("torch_ddp.py", "few", 900),
    case("torch_ddp.py", "callables", "thrown"),
    case("torch_ranks.py", "order", "ranks-differ", ranks=2),
    case("torch_ranks.py", "some", "ranks-differ", ranks=2),
    case("torch_ranks.py", "destroy", "communicator", ranks=2),
    case("nccl_graph.py", "destroy", "communicator", needs=["nvidia.nccl"], gpus=2,
         marked="nccl_graph.cpp"),
    refused("transformers_compile.py", "compile", 900, needs=["torch", "transformers"]),
    refused("cupy_graph.py", "wait", 900, needs=["cupy"]),
    case("cupy_graph.py", "other_stream", "escaped", also=["empty-graph"], needs=["cupy"]),
    case("jax_handlers.py", "default", "escaped", also=["empty-graph"], needs=["jax"],
         marked="jax_handlers.cu"),
    refused("jax_handlers.py", "waits", 900, needs=["jax"], marked="jax_handlers.cu"),
    refused("megatron_core.py", "layers", 900, source="MEGATRON"),
    refused("megatron_core.py", "full", 906, source="MEGATRON"),
    refused("megatron_core.py", "optimizer", 900, source="MEGATRON"),
    refused("megatron_te_helper.py", "helper", 900, source="TRANSFORMER_ENGINE"),
    refused("megatron_te_helper.py", "stream", 906, source="TRANSFORMER_ENGINE"),
    refused("transformer_engine_graph.py", "callables", 900, source="TRANSFORMER_ENGINE"),
    case("transformer_engine_graph.py", "autocast", "thrown", source="TRANSFORMER_ENGINE"),
    case("ggml_graph.py", "weights", "freed-memory", needs=(), source="GGML",
         marked="ggml_graph.cpp"),
]
