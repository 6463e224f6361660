//===- Trace.h - The trace file of one process ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/probe-format.md describes its contents. Each line is one write(2) to a
// file that is opened for appending, so that it is complete however the process
// ends.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_TRACE_H
#define CUDAGRAPH_PROBE_TRACE_H

#include "Stack.h"
#include "format/Lines.h"
#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

namespace cudagraph::probe {

using Json = nlohmann::ordered_json;

/// An address or a handle as text.
std::string hex(uint64_t Value);
inline std::string hex(const void *Handle) {
  return hex(reinterpret_cast<uint64_t>(Handle));
}

/// Thread-safe.
class Trace {
public:
  /// Opens DIRECTORY/PID.jsonl, which may contain at most \p Limit events and
  /// \p MostBytes bytes. Returns false if it cannot be written.
  bool open(const std::string &Directory, unsigned Limit,
            uint64_t MostBytes = uint64_t(256) << 20);
  bool isOpen() const { return File >= 0; }
  /// A child of fork has no CUDA context and must not write to the file of its
  /// parent.
  void abandon();

  /// Writes \p Event as one line. If \p Key is not 0, an event with the same
  /// key is written once and counted afterwards. Beyond the limit, nothing is
  /// written, and the file records that.
  void write(Json Event, uint64_t Key = 0);

  /// The number of the calling thread's stack, and that of its Python frames.
  unsigned stack();
  /// \p Address as `[module, offset]`.
  Json frame(uint64_t Address);

  /// Writes how often events were repeated, and that the process has ended.
  void finish();

private:
  void writeLine(const Json &Event);
  bool isFull() const { return Events >= Limit || Bytes >= ByteLimit; }
  Json frameLocked(uint64_t Address);

  std::mutex Lock;
  std::atomic<int> File = -1; ///< callbacks call isOpen() without the lock
  unsigned Lines = 0, Events = 0, Limit = 0;
  uint64_t Bytes = 0, ByteLimit = 0;
  bool Said = false; ///< that the limit is reached
  struct Repeated {
    unsigned Line;
    uint64_t Times = 0;
  };
  std::map<uint64_t, Repeated> Known;
  Modules Loaded;
  size_t ModulesWritten = 0;
  std::map<uint64_t, unsigned> Stacks; ///< by hash
  std::map<long, bool> Threads;
};

/// The operating system's ID of the calling thread.
long threadId();

/// Nanoseconds of the monotonic clock.
uint64_t now();

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_TRACE_H
