//===- Trace.h - Reads the output of the injected library -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lines of docs/probe-format.md as values, with unresolved addresses.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_TRACE_H
#define CUDAGRAPH_PROBE_TRACE_H

#include "Companion.h"
#include "format/Report.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::probe {

struct TraceModule {
  std::string Path, BuildId;
};

/// A return address, as an offset into a module; -1: in none.
struct TraceFrame {
  int64_t Module = -1;
  uint64_t Offset = 0;
  bool operator==(const TraceFrame &) const = default;
};

/// Innermost first.
struct TraceStack {
  std::vector<TraceFrame> Frames;
  std::vector<PythonFrame> Python;
  bool operator==(const TraceStack &) const = default;
};

using Dim3 = std::array<uint64_t, 3>;

struct TraceRange {
  uint64_t Base = 0, Bytes = 0;
  std::string Kind;
  bool holds(uint64_t Address) const { return Address - Base < Bytes; }
};

/// A value that may be an address, and the parameter of the kernel that
/// contains it.
struct TraceWord {
  unsigned Param = 0;
  uint64_t Value = 0;
};

/// Host memory of a graph, before one of its launches.
struct TraceHost {
  uint64_t Address = 0, Bytes = 0;
  bool Reads = false, Pinned = false;
  std::string State; ///< changed, unmapped, returned
};

struct TraceNode {
  std::string Type;
  std::string Name; ///< mangled
  Dim3 Grid = {}, Block = {};
  uint64_t Shared = 0;
  std::vector<std::string> Args; ///< hexadecimal, in memory order
  std::string Source, Destination, CopyKind, Value;
  uint64_t Bytes = 0;
  TraceFrame Function;
  std::string Data, Event;
  std::vector<uint64_t> Addresses; ///< batch
  std::optional<int64_t> Stack;    ///< of the call that made it
  std::string Stream;              ///< of that call
  unsigned Depth = 0;              ///< graphs that it is in
  /// Nodes on which it depends, if the trace contains them.
  std::optional<std::vector<size_t>> After;
};

enum class EventKind {
#define LINE(ID, NAME)
#define EVENT(ID, NAME, ANALYZE) ID,
#include "format/Lines.def"
};

struct TraceEvent {
  EventKind Kind = EventKind::Call;
  std::string Api, Domain, Stream, StreamKind, Mode;
  int Code = 0;
  uint64_t Tid = 0, Time = 0;
  std::optional<int64_t> Stack;
  /// For begin, pageable, and end: the capture. For call: the capture of the
  /// stream, or 0.
  uint64_t Capture = 0;
  struct Active {
    uint64_t Id = 0;
    bool Invalidated = false; ///< after the call
  };
  std::vector<Active> Captures;
  std::string Work, Name, Direction, Storage; ///< what, for first
  uint64_t Bytes = 0;
  std::string Address;           ///< pageable
  std::vector<std::string> Dead; ///< end: addresses of the stack
  bool HasGraph = false;
  std::vector<TraceNode> Nodes;
  uint64_t NodesLeftOut = 0;
  std::vector<TraceRange> Pool; ///< end: allocated during captures
  // The following are for graphs that can be launched.
  uint64_t Exec = 0;
  std::vector<uint64_t> Execs;
  std::optional<unsigned> Node; ///< the only one that it concerns
  std::vector<TraceRange> Memory, Reading, Writing;
  std::vector<TraceRange> Pageable; ///< exec: host memory, and its storage
  std::vector<TraceWord> Words;
  std::vector<TraceHost> Host;
  bool IsUpdate = false, Busy = false, Waits = false;
  /// For exec: whether the release of its pageable memory, if any, is observed.
  std::optional<bool> Heap;
  std::string How, OfEvent; ///< order
  uint64_t SourceLine = 0;  ///< ran: of ProcessTrace::Lines, from 1
  unsigned Times = 1;
};

/// One program image: a process that calls exec has two.
struct ProcessTrace {
  uint64_t Pid = 0;
  std::string Exe, Gpu;
  std::vector<std::string> Args;
  int Driver = 0, Nccl = 0;
  std::map<std::string, std::string> Env;
  std::map<int64_t, TraceModule> Modules;
  std::map<int64_t, TraceStack> Stacks;
  std::map<uint64_t, std::string> Threads;
  std::vector<TraceEvent> Events;
  std::vector<SourceLine> Lines; ///< that were watched
  CompanionTrace Companion;
  bool CapturesOnly = false;
  unsigned CaptureLimit = 0; ///< captures after which nothing is observed
  bool Complete = false;
  bool Limited = false; ///< the trace ends before the process
};

struct Trace {
  std::vector<ProcessTrace> Processes;
  std::vector<std::string> Problems; ///< errors and omissions, as text
};

/// Reads every PID.jsonl of \p Directory, in the order of the PIDs. Skips
/// unknown lines, and adds a problem to the result for each unreadable line.
llvm::Expected<Trace> readTrace(llvm::StringRef Directory);

/// Adds the processes in \p Text, the contents of \p File, to \p Result.
void readProcess(llvm::StringRef File, llvm::StringRef Text, Trace &Result);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_TRACE_H
