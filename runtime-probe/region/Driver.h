//===- Driver.h - The CUDA driver, loaded at run time -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs link a static or a shared CUDA runtime, or none; all use the driver,
// and a cudaStream_t is a CUstream. The declarations here are compared with
// cuda.h if it is found (Driver.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_DRIVER_H
#define CUDAGRAPH_PROBE_DRIVER_H

#include <cstddef>

namespace cudagraph::probe_library {

// CUDA Driver API reference, section 6.1, "Data types used by CUDA driver".
using Code = int; // CUresult
using Address = unsigned long long;
using Stream = struct CUstream_st *;
using Context = struct CUctx_st *;
using Graph = struct CUgraph_st *;
using GraphExec = struct CUgraphExec_st *;
using GraphNode = struct CUgraphNode_st *;

enum CaptureStatus { NotCapturing, Capturing, CaptureInvalidated };

/// Entry points: the name that the driver exports, and the name here. All
/// return a Code.
struct Driver {
  // Section 6.6, error handling.
  Code (*errorName)(Code, const char **);
  // Section 6.8, context management.
  Code (*getContext)(Context *);
  Code (*pushContext)(Context);
  Code (*popContext)(Context *);
  // Section 6.13, memory management.
  Code (*copyToHost)(void *, Address, std::size_t, Stream);
  Code (*copyToDevice)(Address, const void *, std::size_t, Stream);
  // Section 6.18, stream management.
  Code (*streamContext)(Stream, Context *);
  Code (*beginCapture)(Stream, int Mode);
  Code (*endCapture)(Stream, Graph *);
  Code (*captureStatus)(Stream, CaptureStatus *);
  Code (*synchronize)(Stream);
  // Section 6.23, graph management.
  Code (*getNodes)(Graph, GraphNode *, std::size_t *);
  Code (*instantiate)(GraphExec *, Graph, unsigned long long Flags);
  Code (*launch)(GraphExec, Stream);
  Code (*destroyGraph)(Graph);
  Code (*destroyExec)(GraphExec);
};

/// The driver, loaded at the first call: the library that
/// CUDAGRAPH_PROBE_DRIVER names, or else libcuda.so.1. Null if there is no
/// driver, or if it lacks an entry point (CUDA older than 12.0); \p Why then
/// contains the reason. Both live as long as the process. Thread-safe.
const Driver *driver(const char *&Why);

} // namespace cudagraph::probe_library

#endif // CUDAGRAPH_PROBE_DRIVER_H
