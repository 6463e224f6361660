//===- Calls.h - CUDA functions in CUPTI's terms ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function of a callback ID, and the positions of its arguments.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CALLS_H
#define CUDAGRAPH_PROBE_CALLS_H

#include <cstdint>

namespace cudagraph::probe {

/// The work that a call enqueues on a stream.
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

/// The effect of a call on graphs, on memory that they may use, and on the
/// order of streams; see Roles.def.
enum class Role : uint8_t {
  NONE,
  BEGIN,        ///< of a capture
  END,          ///< of a capture
  INSTANTIATE,  ///< (CUgraphExec *, CUgraph)
  DESTROY,      ///< (CUgraphExec)
  FORGET,       ///< (CUgraph)
  UPDATE,       ///< (CUgraphExec, CUgraph)
  NODE,         ///< (CUgraphExec, CUgraphNode, parameters)
  FREE,         ///< (address)
  UNMAP,        ///< (address, size)
  RECORD,       ///< (CUevent, CUstream)
  WAIT,         ///< (CUstream, CUevent)
  STREAM_ENDED, ///< (CUstream): all work of the stream has ended
  EVENT_ENDED,  ///< (CUevent): the event has completed
  ALL_ENDED,    ///< all work of the device has ended
  ALLOC,        ///< (address *)
  MAP,          ///< (address, size)
  STREAM_GONE,  ///< (CUstream): queries may no longer use the handle
  CONTEXT_GONE  ///< nor any handle of the context
};

/// The word for \p W in a trace.
const char *spelling(Work W);

struct Call {
  const char *Name = nullptr; ///< public: without version or suffix
  Work Does = Work::NOTHING;
  bool PerThread = false; ///< stream 0 is the per-thread one
  int16_t Stream = -1;    ///< offsets in the arguments, or -1
  /// To and Bytes: also the two forms of a launch's arguments.
  int16_t To = -1, From = -1, Bytes = -1;
  Role Is = Role::NONE;
  bool Always = false; ///< also watched outside captures
};

/// True for functions that are watched only while replays are watched.
inline bool isOfReplays(const Call &C) {
  return C.Does != Work::NOTHING ||
         (C.Is >= Role::RECORD && C.Is <= Role::ALL_ENDED);
}

/// All callback IDs are smaller than this.
inline constexpr unsigned MaxCall = 2048;

/// The function with callback ID \p Id; Name is null if there is none.
const Call &runtimeCall(unsigned Id);
const Call &driverCall(unsigned Id);

/// The stream among \p Arguments, if there is one. A copy or set that takes no
/// stream works on the default stream.
bool streamOf(const Call &C, const void *Arguments, void *&Stream);

/// The pointer or size at \p Offset of \p Arguments; 0 if Offset is -1.
uint64_t wordAt(const void *Arguments, int16_t Offset);
template <typename T> T handleAt(const void *Arguments, int16_t Offset) {
  return reinterpret_cast<T>(wordAt(Arguments, Offset));
}

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_CALLS_H
