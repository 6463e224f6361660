//===- Report.h - The results of a run --------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The report of docs/probe-format.md as values, and its reader. cudagraph-tidy
// and all commands of cudagraph-probe use it to read reports. Does not use
// LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_FORMAT_REPORT_H
#define CUDAGRAPH_PROBE_FORMAT_REPORT_H

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudagraph::probe {

struct PythonFrame {
  std::string File;
  unsigned Line = 0;
  std::string Function;
  bool operator==(const PythonFrame &) const = default;
};

struct Frame {
  std::string Function, File;
  unsigned Line = 0, Column = 0;
  std::string Module;
  bool Inlined = false;
};

/// A location in the source; it has no file if there is no debug information.
struct Location {
  std::string File;
  unsigned Line = 0, Column = 0;
  std::string Function;
  auto operator<=>(const Location &) const = default;
};

/// Innermost first.
struct Stack {
  std::optional<Location> Where; ///< in the user's code
  std::vector<Frame> Frames;
  std::vector<PythonFrame> Python;
};

struct Thread {
  uint64_t Id = 0;
  std::string Name;
};

struct Process {
  uint64_t Pid = 0;
  std::string Exe;
  int Driver = 0;
  std::string Gpu;
  bool Complete = false;
  /// Events that the options left unobserved: graphs after their capture,
  /// everything after some capture, or launches beyond a limit.
  bool CapturesOnly = false, Detached = false, Unwatched = false;
  /// Calls of free(), realloc(), and munmap() were observed.
  bool Heap = false;
};

/// A node of the graph that resulted from a capture.
struct CapturedNode {
  std::string Type, Function, Stream;
  std::optional<Location> Where; ///< of the call that recorded it
};

struct Capture {
  unsigned Id = 0; ///< counts from 1 over all processes
  uint64_t Pid = 0;
  std::string Stream, Kind, Mode;
  Thread By;
  Stack Begin, End;
  double Microseconds = 0;
  std::string Outcome; ///< graph, empty, invalidated, unfinished
  int Code = 0;
  std::map<std::string, unsigned> Nodes; ///< by type
  std::string Name; ///< the name that the program gives to the capture, if any
  std::vector<CapturedNode> Graph; ///< the first nodes, in their order
};

struct Consequence {
  std::string Api;
  int Code = 0;
  std::optional<Location> Where;
  unsigned Times = 1;
};

struct Change {
  unsigned Node = 0;
  std::string Type, Function, What;
  std::vector<std::string> Values;
  Stack At; ///< of the call that recorded the node, if known
};

/// Another location to which a finding refers.
struct Related {
  std::string Message;
  Stack At;
  /// The type of the node that was recorded there, or empty.
  std::string Node = {};
};

/// Memory of a node whose lifetime ended while its graph could be launched.
struct Ending {
  std::string How; ///< the function that frees it; or "unmapped", "returned"
  Stack At;
  unsigned Launches = 0; ///< since
};

/// Launches after a watched line had run, with values from before it ran.
struct RanBefore {
  unsigned Line = 0; ///< index in Report::Lines
  unsigned Launches = 0;
};

/// A launch that CUDA refused.
struct FailedLaunch {
  int Code = 0;
  Stack At;
  unsigned Times = 1;
};

/// Another node of the same graph that shares memory with a node, without a
/// path between them; one of the two writes it.
struct UnorderedNode {
  std::string Type, Function;
  Stack At;
  unsigned Launches = 0; ///< observed, of graphs with both
};

/// A call that recorded nodes in captures, and what happened to them.
struct Recorded {
  std::string Type, Function; ///< of the nodes; the kernel
  Stack At;
  std::vector<unsigned> Captures;
  unsigned Launches = 0;   ///< observed, of graphs that contain such a node
  unsigned Relaunches = 0; ///< of them, those after a graph's first
  unsigned Sets = 0;       ///< times that a node received other parameters
  /// The kinds of memory that the nodes use: device, managed, pinned, array,
  /// stack, heap, static, and host.
  std::vector<std::string> Memory;
  /// Functions of the stack that had returned before a launch.
  std::vector<std::string> Returned;
  /// Those of them that had been called again and were active at that launch.
  std::vector<std::string> Again;
  bool OtherThread = false; ///< another thread launched one
  std::vector<Ending> Endings;
  std::vector<RanBefore> Ran;
  std::vector<FailedLaunch> Failed;
  std::vector<UnorderedNode> Unordered;
  /// All other nodes that use the same memory are ordered before or after such
  /// a node, in all launched graphs.
  bool Ordered = false;
};

/// A line of the source whose execution was watched.
struct SourceLine {
  std::string File; ///< as requested
  unsigned Line = 0;
  std::string Problem;          ///< why it could not be watched; or empty
  unsigned Times = 0;           ///< the least number of times that it ran
  std::vector<unsigned> During; ///< captures of the thread that ran it
};

/// The kinds of findings, as reports spell them. A report of a different
/// version may have others.
namespace kind {
#define KIND(ID, NAME, SEVERITY) inline constexpr char ID[] = NAME;
#include "Kinds.def"
} // namespace kind

enum class Severity { Error, Warning, Remark };

/// Returns "error", "warning", or "remark".
const char *spelling(Severity S);

struct Finding {
  std::string Kind;
  /// A remark is informational: it reports an error only if what it describes
  /// was not intentional.
  Severity Level = Severity::Warning;
  int Code = 0;
  std::string Api, Message;
  std::vector<unsigned> Captures;
  Thread By;
  Stack At;
  std::vector<Consequence> Consequences;
  std::vector<Change> Changes;
  std::vector<Related> Others;
  std::string Operator; ///< of PyTorch, or empty
  /// The remedy if the cause is known, and the document that recommends it.
  std::string Remedy, RemedySource;
  unsigned Times = 1;
};

inline bool isRemark(const Finding &F) { return F.Level == Severity::Remark; }

struct Watched {
  std::string Api;
  int Code = 0;
  std::vector<unsigned> Captures;
  Stack At;
  unsigned Times = 1;
};

struct Report {
  std::vector<std::string> Args;
  int Status = 0, Signal = 0;
  std::vector<Process> Processes;
  std::vector<std::string> Problems;
  std::vector<Capture> Captures;
  std::vector<Finding> Findings;
  std::vector<std::string> Watching; ///< functions that were requested
  std::vector<Watched> Watches;
  std::vector<Recorded> Calls;
  unsigned CallsLeftOut = 0;
  std::vector<SourceLine> Lines;
};

/// "cudaErrorStreamCaptureUnsupported" for 900; empty for codes that do not
/// concern captures.
std::string errorName(int Code);

/// Returns the severity of a finding of \p Kind, unless more is known about it.
Severity severityOf(std::string_view Kind);

/// The version of the format; increased if a reader of the old format would
/// misread the new one.
inline constexpr int ReportVersion = 1;

/// The reason why a report cannot be read.
struct ReportFault {
  enum Kind {
    Empty,
    NoJson,  ///< Detail: the error in it
    NotOurs, ///< JSON, but not from this project
    Others,  ///< Detail: the tool that wrote it
    Version, ///< Detail: which
    NoList,  ///< Detail: the missing list
  } Is = Empty;
  std::string Detail;
};

/// Reads the output of writeJson(). Unknown fields are skipped, and a field
/// that is missing or has a different type keeps its default.
std::optional<ReportFault> readReport(std::string_view Text, Report &Result);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_FORMAT_REPORT_H
