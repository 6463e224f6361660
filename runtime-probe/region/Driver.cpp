//===- Driver.cpp - The CUDA driver, loaded at run time -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the entry points by name. The names with a version are those to which
// cuda.h maps the documented names.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

#if __has_include(<cuda.h>)
#include <cuda.h>
#include <type_traits>
#endif

namespace cudagraph::probe_library {

#if defined(CUDA_VERSION)
static_assert(sizeof(CUresult) == sizeof(Code));
static_assert(sizeof(CUdeviceptr) == sizeof(Address));
static_assert(std::is_same_v<CUstream, ::CUstream_st *>);
static_assert(sizeof(CUstreamCaptureStatus) == sizeof(CaptureStatus));
static_assert(CU_STREAM_CAPTURE_STATUS_ACTIVE == int(Capturing));
static_assert(CU_STREAM_CAPTURE_STATUS_INVALIDATED == int(CaptureInvalidated));
static_assert(CU_STREAM_CAPTURE_MODE_GLOBAL == 0);
static_assert(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL == 1);
static_assert(CU_STREAM_CAPTURE_MODE_RELAXED == 2);
#endif

namespace {

struct Loaded {
  Driver Entries{};
  char Why[256] = "";

  Loaded() {
    const char *Name = std::getenv("CUDAGRAPH_PROBE_DRIVER");
    void *Library =
        dlopen(Name && *Name ? Name : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!Library) {
      std::snprintf(Why, sizeof(Why), "no CUDA driver: %s", dlerror());
      return;
    }
    find(Library, "cuGetErrorName", Entries.errorName);
    find(Library, "cuCtxGetCurrent", Entries.getContext);
    find(Library, "cuCtxPushCurrent_v2", Entries.pushContext);
    find(Library, "cuCtxPopCurrent_v2", Entries.popContext);
    find(Library, "cuMemcpyDtoHAsync_v2", Entries.copyToHost);
    find(Library, "cuMemcpyHtoDAsync_v2", Entries.copyToDevice);
    find(Library, "cuStreamGetCtx", Entries.streamContext);
    find(Library, "cuStreamBeginCapture_v2", Entries.beginCapture);
    find(Library, "cuStreamEndCapture", Entries.endCapture);
    find(Library, "cuStreamIsCapturing", Entries.captureStatus);
    find(Library, "cuStreamSynchronize", Entries.synchronize);
    find(Library, "cuGraphGetNodes", Entries.getNodes);
    find(Library, "cuGraphInstantiateWithFlags", Entries.instantiate);
    find(Library, "cuGraphLaunch", Entries.launch);
    find(Library, "cuGraphDestroy", Entries.destroyGraph);
    find(Library, "cuGraphExecDestroy", Entries.destroyExec);
  }

  template <class Function>
  void find(void *Library, const char *Name, Function &Entry) {
    Entry = reinterpret_cast<Function>(dlsym(Library, Name));
    if (!Entry && !*Why)
      std::snprintf(Why, sizeof(Why), "the CUDA driver has no %s", Name);
  }
};

} // namespace

const Driver *driver(const char *&Why) {
  static const Loaded The;
  Why = The.Why;
  return *The.Why ? nullptr : &The.Entries;
}

} // namespace cudagraph::probe_library
