# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results that run_gpu.py expects of each case.

A case: program, argument, and
  finds   expected findings, each {kind, code, api, ...}; a finding whose line a
          marker names must be there; optional: it may be missing
  also    other kinds that may be reported
  status  exit status of the program (0); signal: the one that ended it"""


def refused(code, api, **more):
    return dict(kind="refused", code=code, api=api, **more)


def found(kind, **more):
    return dict(kind=kind, **more)


REFUSED = {
    "allocate": refused(900, "cudaMalloc"),
    "synchronize": refused(900, "cudaStreamSynchronize"),
    "thread": refused(900, "cudaMalloc", consequence=901),
    "merge": refused(902, "cudaStreamWaitEvent"),
    "unmatched": refused(903, "cudaStreamEndCapture"),
    "unjoined": refused(904, "cudaStreamEndCapture"),
    "isolation": refused(905, "cudaStreamWaitEvent"),
    "implicit": refused(906, "cudaLaunchKernel"),
    "captured-event": refused(907, "cudaEventQuery"),
    "wrong-thread": refused(908, "cudaStreamEndCapture"),
}
SILENT = {
    "escaped-launch": found("escaped", api="cudaLaunchKernel"),
    "escaped-copy": found("escaped", api="cudaMemcpy"),
    "survived": found("survived", code=1, api="cudaFreeAsync"),
    "empty": found("empty-graph"),
    "stack": found("pageable-copy", api="cudaMemcpyAsync", severity="remark"),
    "dead": found("pageable-copy", api="cudaMemcpyAsync", severity="warning"),
    "heap": found("pageable-copy", api="cudaMemcpyAsync", severity="remark"),
    "static": found("pageable-copy", api="cudaMemcpyAsync", severity="remark"),
    # Loading one more function of a loaded module raises no event (measured).
    "first-call": found("first-call", optional=True),
    "unfinished": found("unfinished"),
    "frozen-argument": found("frozen", what="argument"),
    "frozen-grid": found("frozen", what="grid"),
    "frozen-size": found("frozen", what=""),
}
# Each has a correct variant, which causes no finding.
REPLAY = {
    "freed": found("freed-memory", api="cudaFree", severity="warning"),
    "freed-unused": found("freed-memory", api="cudaFree", severity="remark"),
    "freed-async": found("freed-memory", api="cudaFreeAsync", severity="warning"),
    "freed-host": found("freed-memory", api="cudaFreeHost", severity="warning"),
    "unregistered": found("freed-memory", api="cudaHostUnregister", severity="warning"),
    "virtual": found("freed-memory", api="cuMemUnmap", severity="warning"),
    "event-destroyed": found("freed-memory", api="cudaEventDestroy", severity="remark"),
    "host-data": found("freed-memory", api="cudaGraphLaunch", severity="warning"),
    "host-object": found("freed-memory", api="free", severity="warning"),
    "unmapped": found("freed-memory", api="munmap", severity="warning"),
    "freed-heap": found("freed-memory", api="free", severity="warning"),
    "moved": found("freed-memory", api="free", severity="warning"),
    "freed-in-capture": found("pageable-copy", api="cudaMemcpyAsync", severity="warning"),
    "never-freed": found("failed-launch", code=1, api="cudaGraphLaunch"),
    "returned": found("pageable-copy", api="cudaGraphLaunch", severity="warning"),
    "overwritten": found("overwritten-source"),
    "unordered": found("unordered"),
    "unordered-kernel": found("unordered"),
    "read-back": found("unordered"),
    "at-once": found("unordered"),
    "out-of-order": found("replay-order", severity="warning"),
    "overwritten-output": found("overwritten-output"),
}
REPLAY_RIGHT = ("freed-right", "graph-owned", "never-freed-right", "freed-heap-right",
                "moved-right", "event-destroyed-right", "host-data-right", "updated", "overwritten-right", "unordered-right", "unordered-kernel-right",
                "read-back-right", "at-once-right", "in-order", "overwritten-output-right")
WAITS = refused(900, "cudaStreamSynchronize")


def case(program, argument, *finds, **more):
    return dict(program=program, argument=argument, finds=list(finds), **more)


CASES = [
    *(case(p, name, f) for p in ("refused", "refused_shared")
      for name, f in REFUSED.items()),
    *(case("silent", name, f) for name, f in SILENT.items()),
    *(case("replay", name, f) for name, f in REPLAY.items()),
    *(case("replay", name) for name in REPLAY_RIGHT),
    *(case(p, name) for p in ("clean", "clean_shared") for name in (
        "simple", "fork-join", "errors-outside", "thread-local", "guarded", "again")),
    # A process that crashes in a capture also leaves it unfinished.
    case("ends", "quick-exit", WAITS, status=7, also=["unfinished"]),
    case("ends", "abort", WAITS, signal=6, also=["unfinished"]),
    case("ends", "crash", WAITS, signal=11, also=["unfinished"]),
    case("ends", "status", WAITS, status=5),
    case("ends", "child", WAITS),
    case("ends", "forked"),
    case("driver_api", "allocate", refused(900, "cuMemAlloc")),
    case("driver_api", "captured-event", refused(907, "cuEventQuery")),
    case("driver_api", "clean"),
]

# Findings about the environment, PyTorch's constants in pageable memory, and its first module loads
# are not errors of these programs.
TORCH = ["environment", "first-call", "pageable-copy", "frozen"]
TORCH_CASES = [
    case("torch_cases.py", "item", refused(900, None), also=TORCH),
    # Some versions of PyTorch refuse this copy before CUDA does.
    case("torch_cases.py", "cpu", found("refused", optional=True),
         also=[*TORCH, "thrown"]),
    case("torch_cases.py", "synchronize", refused(900, "cudaDeviceSynchronize"), also=TORCH),
    case("torch_cases.py", "callables", refused(900, "cudaStreamSynchronize"), also=TORCH),
    case("torch_cases.py", "thread", refused(900, "cudaMalloc"), also=TORCH),
    case("torch_cases.py", "clean", also=TORCH),
    case("torch_cases.py", "compiled", also=TORCH),
]
