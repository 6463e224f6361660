//===- Calls.h - CUDA functions as CUPTI names them -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a callback id stands for, and where its arguments are.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CALLS_H
#define CUDAGRAPH_PROBE_CALLS_H

#include <cstdint>

namespace cudagraph::probe {

/// What a call puts on a stream.
enum class Work : uint8_t {
  NOTHING,
  LAUNCH,
  COPY,
  SET,
  HOST,
  GRAPH,
  ALLOC,
  FREE
};

/// The word for \p W in a trace.
const char *spelling(Work W);

struct Call {
  const char *Name = nullptr; ///< public: without version and suffix
  Work Does = Work::NOTHING;
  bool PerThread = false; ///< stream 0 is the per-thread one
  int16_t Stream = -1;    ///< offsets in the arguments, or -1
  int16_t To = -1, From = -1, Bytes = -1;
};

/// Callback ids are smaller.
inline constexpr unsigned MaxCall = 2048;

/// The function with callback id \p Id; Name is null if there is none.
const Call &runtimeCall(unsigned Id);
const Call &driverCall(unsigned Id);

/// The stream among \p Arguments, and whether there is one. A copy or set
/// without one works on the default stream.
bool streamOf(const Call &C, const void *Arguments, void *&Stream);

/// The pointer or size at \p Offset of \p Arguments; 0 if Offset is -1.
uint64_t wordAt(const void *Arguments, int16_t Offset);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_CALLS_H
