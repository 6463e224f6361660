//===- probe.h - Runs a region as a CUDA graph ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By default, cudagraph::probe(region, stream, body) only calls the body on the
// stream. With CUDAGRAPH_PROBE defined and libcudagraph_probe linked, it also
// captures the body in each capture mode, and replays the graph. It compares
// the contents of the named buffers after replays with those after eager runs.
//
// C++17 or later; needs neither CUDA's headers nor its runtime library.
//
//   probe_run.h        region, probe(), scoped_region: the documentation
//   probe_plain.h      the same names, without an effect
//   probe_results.h    what is observed
//   probe_interface.h  the interface between this header and the library
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_H
#define CUDAGRAPH_PROBE_H

#include "annotations.h"

// The analysis sees the plain form, and the body as a region.
#if defined(CUDAGRAPH_PROBE) && !defined(__CUDAGRAPH_TIDY__) &&                \
    !defined(__clang_analyzer__)
#include "probe_run.h"
#else
#include "probe_plain.h"
#endif

#endif // CUDAGRAPH_PROBE_H
