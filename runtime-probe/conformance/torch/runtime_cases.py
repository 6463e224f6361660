# Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deliberate cases: generators, the allocator, streams, and events while
at::cuda::CUDAGraph captures; random operators in a capture that libtorch did not begin,
and with generators that are unknown to the graph.

The rows have the name of the C++ function that the Python function wraps.
"""

import ctypes

import torch

import capture
from case import A, Table, d

CASES = Table()
call, special = CASES.call, CASES.special
ALLOCATOR = "c10::cuda::CUDACachingAllocator::"


def plain(name, form, function):
    """A call without a result to compare."""
    call(name, form, [], function, A, False)


def generator():
    return torch.cuda.default_generators[torch.cuda.current_device()]


STATE = []


def some_state():
    """A state of the generator that was read before the capture."""
    if not STATE:
        STATE.append(torch.cuda.get_rng_state())
    return STATE[0]


plain("at::CUDAGeneratorImpl::get_state", "", torch.cuda.get_rng_state)
plain("at::CUDAGeneratorImpl::set_state", "", lambda: torch.cuda.set_rng_state(some_state()))
plain("at::CUDAGeneratorImpl::set_current_seed", "", lambda: torch.cuda.manual_seed(7))
plain("at::CUDAGeneratorImpl::seed", "", lambda: torch.cuda.seed())
plain("at::CUDAGeneratorImpl::current_seed", "", lambda: torch.cuda.initial_seed())
plain("at::CUDAGeneratorImpl::get_offset", "", lambda: generator().get_offset())
plain("at::CUDAGeneratorImpl::set_offset", "", lambda: generator().set_offset(16))
plain("at::CUDAGeneratorImpl::graphsafe_get_state", "",
      lambda: generator().graphsafe_get_state())
plain("at::CUDAGeneratorImpl::graphsafe_set_state", "",
      lambda: generator().graphsafe_set_state(generator().graphsafe_get_state()))

plain(ALLOCATOR + "emptyCache", "", torch.cuda.empty_cache)
plain(ALLOCATOR + "getDeviceStats", "", torch.cuda.memory_stats)
plain(ALLOCATOR + "resetPeakStats", "", torch.cuda.reset_peak_memory_stats)
plain(ALLOCATOR + "snapshot", "", torch.cuda.memory_snapshot)
plain("cudaMemGetInfo", "through libtorch", torch.cuda.mem_get_info)
plain("at::cuda::CachingHostAllocator_emptyCache", "", torch._C._host_emptyCache)
plain("c10::cuda::device_synchronize", "", torch.cuda.synchronize)
plain("c10::cuda::set_device", "", lambda: torch.cuda.set_device(0))
plain("c10::cuda::getCurrentCUDAStream", "", torch.cuda.current_stream)
plain("c10::cuda::getDefaultCUDAStream", "", torch.cuda.default_stream)
plain("c10::cuda::getStreamFromPool", "", torch.cuda.Stream)
plain("at::cuda::getCurrentDeviceProperties", "",
      lambda: torch.cuda.get_device_properties(0))
plain("c10::cuda::CUDAStream::query", "", lambda: torch.cuda.current_stream().query())
plain("c10::cuda::CUDAStream::synchronize", "",
      lambda: torch.cuda.current_stream().synchronize())
plain("c10::cuda::CUDAEvent::record", "", lambda: torch.cuda.Event().record())
plain("c10::cuda::CUDAEvent::record", "with timing",
      lambda: torch.cuda.Event(enable_timing=True).record())


def recorded():
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


EARLIER = []


def earlier(count):
    """Events that were recorded before the capture."""
    while len(EARLIER) < 2:
        EARLIER.append(recorded())
        torch.cuda.synchronize()
    return EARLIER[:count]


plain("c10::cuda::CUDAEvent::query", "recorded in the capture", lambda: recorded().query())
plain("c10::cuda::CUDAEvent::query", "recorded before", lambda: earlier(1)[0].query())
plain("c10::cuda::CUDAEvent::synchronize", "recorded in the capture",
      lambda: recorded().synchronize())
plain("c10::cuda::CUDAEvent::synchronize", "recorded before",
      lambda: earlier(1)[0].synchronize())
plain("c10::cuda::CUDAEvent::elapsed_time", "recorded in the capture",
      lambda: recorded().elapsed_time(recorded()))
plain("c10::cuda::CUDAEvent::elapsed_time", "recorded before",
      lambda: earlier(2)[0].elapsed_time(earlier(2)[1]))
plain("c10::cuda::CUDAEvent::block", "recorded before",
      lambda: torch.cuda.current_stream().wait_event(earlier(1)[0]))


def fork_and_join(join):
    """A side stream in the capture, joined again or not."""
    here, side = torch.cuda.current_stream(), torch.cuda.Stream()
    side.wait_stream(here)
    with torch.cuda.stream(side):
        torch.cuda._sleep(10)
    if join:
        here.wait_stream(side)


plain("c10::cuda::CUDAEvent::block", "fork and join", lambda: fork_and_join(True))
plain("c10::cuda::CUDAEvent::block", "fork without join", lambda: fork_and_join(False))

# Random operators with a generator that is unknown to the graph.
RANDOM = {
    "aten::rand": lambda g: torch.rand(64, device="cuda", generator=g),
    "aten::normal_": lambda g: torch.empty(64, device="cuda").normal_(generator=g),
    "aten::bernoulli": lambda g: torch.bernoulli(torch.full((64,), 0.5, device="cuda"),
                                                 generator=g),
    "aten::randperm": lambda g: torch.randperm(64, device="cuda", generator=g),
    "aten::multinomial": lambda g: torch.multinomial(torch.ones(64, device="cuda"), 8,
                                                     generator=g),
    "aten::randint": lambda g: torch.randint(1000, (64,), device="cuda", generator=g),
    "aten::uniform_": lambda g: torch.empty(64, device="cuda").uniform_(generator=g),
}
WITHOUT_GENERATOR = {
    "aten::native_dropout": lambda x: torch.native_dropout(x, 0.5, True),
    "aten::rand_like": torch.rand_like,
    "aten::rrelu": lambda x: torch.rrelu(-x, 0.1, 0.3, True),
}


def outcome(error, s):
    text = str(error)
    return {"eager": True, "capture": "refused", "code": capture.code_of(text),
            "message": capture.message_of(error),
            "status_after": capture.capture_status(s), "replay": "n/a"}


def raw(function):
    """In a capture that cudaStreamBeginCapture began on libtorch's current stream; the
    generator is not informed of it."""
    s, lib = capture.stream(), capture.runtime()
    with torch.cuda.stream(s):
        for _ in range(2):
            function()
        torch.cuda.synchronize()
        handle, graph = ctypes.c_void_p(s.cuda_stream), ctypes.c_void_p()
        code = lib.cudaStreamBeginCapture(handle, 2)
        if code:
            raise capture.Skip(f"begin: {code}")
        try:
            out = function()
        except Exception as error:
            return outcome(error, s)
        code = lib.cudaStreamEndCapture(handle, ctypes.byref(graph))
        if code:
            return {"eager": True, "capture": "refused", "code": code,
                    "message": "at the end", "replay": "n/a"}
        executable, seen = ctypes.c_void_p(), []
        if lib.cudaGraphInstantiate(ctypes.byref(executable), graph, ctypes.c_ulonglong(0)):
            return {"eager": True, "capture": "ok", "code": None, "replay": "n/a"}
        for _ in range(2):
            lib.cudaGraphLaunch(executable, handle)
            torch.cuda.synchronize()
            first = out[0] if isinstance(out, tuple) else out
            seen.append(first.cpu())
    return {"eager": True, "capture": "ok", "code": None,
            "replay": "differs" if torch.equal(*seen) else "random"}


def own_generator(function, registered):
    """With a separate generator, which may be registered with the graph."""
    own, s = torch.Generator(device="cuda"), capture.stream()
    graph, seen = torch.cuda.CUDAGraph(), []
    capture.SPOILED.append(graph)
    with torch.cuda.stream(s):
        for _ in range(2):
            function(own)
        torch.cuda.synchronize()
        if registered:
            graph.register_generator_state(own)
        graph.capture_begin()
        try:
            out = function(own)
        except Exception as error:
            return outcome(error, s)
        try:
            graph.capture_end()
        except Exception as error:
            return {**outcome(error, s), "status_after": "active"}
        for _ in range(2):
            graph.replay()
            torch.cuda.synchronize()
            seen.append(out.cpu())
    return {"eager": True, "capture": "ok", "code": None,
            "replay": "differs" if torch.equal(*seen) else "random"}


for op, function in RANDOM.items():
    special(op, "raw stream capture", [], lambda f=function: raw(lambda: f(None)))
    special(op, "own generator", [], lambda f=function: own_generator(f, False))
    special(op, "own generator, registered", [], lambda f=function: own_generator(f, True))
for op, function in WITHOUT_GENERATOR.items():
    special(op, "raw stream capture", [],
            lambda f=function: raw(lambda x=d(64): f(x)))
