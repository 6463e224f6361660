//===- Report.h - What a run has shown --------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The report of docs/probe-format.md as values.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_REPORT_H
#define CUDAGRAPH_PROBE_REPORT_H

#include "Trace.h"

namespace cudagraph::probe {

struct Frame {
  std::string Function, File;
  unsigned Line = 0, Column = 0;
  std::string Module;
  bool Inlined = false;
};

/// Without a file where there is no debug information.
struct Location {
  std::string File;
  unsigned Line = 0, Column = 0;
  std::string Function;
  auto operator<=>(const Location &) const = default;
};

/// Innermost first.
struct Stack {
  std::optional<Location> Where; ///< of the user's code
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
};

struct Finding {
  std::string Kind;
  int Code = 0;
  std::string Api, Message;
  std::vector<unsigned> Captures;
  Thread By;
  Stack At;
  std::vector<Consequence> Consequences;
  std::vector<Change> Changes;
  std::string Operator; ///< of PyTorch, or empty
  bool Dead = false; ///< pageable-copy: of memory that was dead when it ended
  unsigned Times = 1;
};

/// What is worth knowing and wrong only if somebody did not mean it.
inline bool isRemark(const Finding &F) {
  return F.Kind == "frozen" || F.Kind == "first-call" ||
         (F.Kind == "pageable-copy" && !F.Dead);
}

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
  std::vector<std::string> Watching; ///< functions that were asked for
  std::vector<Watched> Watches;
};

/// "cudaErrorStreamCaptureUnsupported" for 900; empty for codes that have
/// nothing to do with captures.
std::string errorName(int Code);

/// "error", "warning" or "remark".
const char *severityOf(const Finding &F);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_REPORT_H
