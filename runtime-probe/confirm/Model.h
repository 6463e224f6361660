//===- Model.h - Static findings and runs as plain values -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compared data: findings of the analysis, without its types, and the parts
// of a cudagraph-probe report that the comparison needs.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CONFIRM_MODEL_H
#define CUDAGRAPH_PROBE_CONFIRM_MODEL_H

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::confirm {

//===----------------------------------------------------------------------===//
// Findings of the analysis
//===----------------------------------------------------------------------===//

struct Position {
  std::string File;
  unsigned Line = 0; ///< 0: not known
  unsigned Column = 0;
  unsigned EndLine = 0;
};

/// A call on the path from the capture to the finding.
struct CallSite {
  Position At;
  std::string Function; ///< that contains the call
};

/// An explanation of a finding, or a step of its chain that is not a call.
struct Note {
  Position At;
  std::string Function, Message;
};

struct StaticRegion {
  unsigned Id = 0;
  std::string Name; ///< function in which it begins
  Position Begin;
};

/// The predicted outcome in CUDA.
struct Prediction {
  std::string Kind; ///< "error", "escapes", ... as in findings.schema.json
  std::optional<int> Code;
  /// In global, thread-local, and relaxed mode; 0 for success.
  std::optional<std::array<int, 3>> ByMode;
  std::vector<std::string> OtherKinds; ///< of the alternatives
  std::vector<int> OtherCodes;         ///< of the alternatives, without 0
};

struct StaticFinding {
  std::string Check, Message, Callee, Function;
  Position At;
  /// For code from macros: where the macros are expanded.
  std::vector<Position> Expansions;
  std::vector<CallSite> Chain;
  std::vector<Note> Notes;
  std::vector<unsigned> Regions; ///< StaticRegion::Id
  Prediction Outcome;

  /// Adds a step of the chain in the report of the analysis.
  void addStep(Note Step);
};

struct StaticResult {
  std::vector<StaticRegion> Regions;
  std::vector<StaticFinding> Findings;
};

//===----------------------------------------------------------------------===//
// Data of the run: docs/probe-format.md
//===----------------------------------------------------------------------===//

struct Frame {
  std::string Function, File, Module;
  unsigned Line = 0, Column = 0;
  bool Inlined = false;
};

struct Capture {
  unsigned Id = 0;
  std::string Mode; ///< "global", "thread_local", "relaxed"
  std::vector<Frame> Begin;
  bool HasGraph = true;   ///< it resulted in a graph
  std::vector<Frame> End; ///< empty: it never ended
};

/// A consequence of a finding.
struct Consequence {
  std::string Api;
  int Code = 0;
  Frame At;
};

/// A difference between captures at one location.
struct Change {
  std::string Type, Function, What;
  std::vector<Frame> Stack; ///< of the call that recorded the node, if known
};

/// The call that recorded a node to which a finding of the run refers.
struct NodeCall {
  std::string Type; ///< of the node: "kernel", "memcpy", ...
  std::vector<Frame> Stack;
};

/// A finding of the run, or an observed call.
struct Event {
  std::string Kind; ///< "refused", "escaped", ...; "watched"
  int Code = 0;
  std::string Name; ///< of the code
  std::string Api, Message;
  std::vector<unsigned> Captures; ///< Capture::Id
  std::optional<Frame> At;        ///< the innermost frame in user code
  std::vector<Frame> Stack, Python;
  std::vector<Consequence> Consequences;
  std::vector<Change> Changes;
  std::vector<NodeCall> Nodes; ///< the stack above belongs to the free, ...
  unsigned Times = 1;
  bool Remark = false; ///< informational, and not an error in itself
};

/// Memory of a node whose lifetime ended while its graph could be launched.
struct Ending {
  std::string How; ///< the function that frees it; or "unmapped", "returned"
  std::optional<Frame> At;
  unsigned Launches = 0; ///< since
  std::vector<Frame> Stack;
};

/// A launch that CUDA refused.
struct Refusal {
  int Code = 0;
  std::optional<Frame> At;
  std::vector<Frame> Stack;
};

/// A node that shares memory with another node, without a dependency.
struct Unordered {
  std::string Type, Function;
  std::optional<Frame> At;
  unsigned Launches = 0;
};

/// A call that recorded nodes in captures, and what happened to them.
struct Recorded {
  NodeCall Call;
  std::string Function; ///< the kernel
  std::vector<unsigned> Captures;
  unsigned Launches = 0, Relaunches = 0, Sets = 0;
  /// Returned: functions that had returned before a launch; Again: those of
  /// them that were active again at the launch.
  std::vector<std::string> Memory, Returned, Again;
  bool OtherThread = false;
  std::vector<Ending> Endings;
  std::vector<Refusal> Refused; ///< launches of its graphs
  std::vector<Unordered> Others;
  bool Ordered = false; ///< all others that use its memory
  /// By index in Run::Lines: launches after the line had run, with values from
  /// before it ran.
  std::vector<std::pair<size_t, unsigned>> Ran;
};

/// A line whose execution was watched.
struct WatchedLine {
  Position At;                  ///< as requested
  std::string Problem;          ///< why it could not be watched; or empty
  unsigned Times = 0;           ///< the least number of times that it ran
  std::vector<unsigned> During; ///< captures
};

/// One run, or several together.
struct Run {
  std::vector<Capture> Captures;
  std::vector<Event> Findings, Watched;
  std::vector<Recorded> Calls;
  std::vector<WatchedLine> Lines;
  bool Watching = false; ///< successful calls are in Watched
  /// Events that options left unobserved: graphs after their capture,
  /// everything after some capture, and launches or calls beyond a limit.
  bool CapturesOnly = false, Detached = false, Unwatched = false;
  bool CallsLeftOut = false;
  bool Heap = false; ///< the end of all heap memory was observed
  std::vector<std::string> Problems; ///< facts that the probe could not observe
};

} // namespace cudagraph::confirm

#endif // CUDAGRAPH_PROBE_CONFIRM_MODEL_H
