//===- ProcessAnalysis.h - The events of one process, in order --*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The processing of each process in Analysis.cpp: the active captures, those
// that are broken, and the cause; every failed call is either a cause or a
// consequence of an earlier one.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_PROCESSANALYSIS_H
#define CUDAGRAPH_PROBE_PROCESSANALYSIS_H

#include "RecordedCalls.h"
#include "Replay.h"
#include "Stacks.h"
#include "format/Report.h"

namespace cudagraph::probe {

class ProcessAnalysis {
  friend class ReplayAnalysis;

public:
  ProcessAnalysis(const ProcessTrace &P, Symbolizer &Symbols, Report &R)
      : P(P), S(P, Symbols), R(R), Replays(*this),
        Recordings(P, S, R, [this](uint64_t Id) {
          State *C = state(Id);
          return C ? static_cast<unsigned>(C->Index + 1) : 0;
        }) {}

  void run();

private:
  /// A capture in the trace.
  struct State {
    size_t Index = 0; ///< in the report
    const TraceEvent *Begin = nullptr, *End = nullptr;
    bool Broken = false, Ended = false;
    bool Instantiated = false;   ///< an executable graph resulted from it
    std::optional<size_t> Cause; ///< the finding that broke it
    /// Copies with stack memory: its address, and the finding.
    std::vector<std::pair<std::string, size_t>> OnStack;
    /// The same for all copies with pageable memory.
    std::vector<std::pair<std::string, size_t>> Pageable;
  };
  /// The previous failed call on a thread: inner calls come before outer ones.
  struct Failure {
    const TraceEvent *Event = nullptr;
    std::optional<size_t> Finding, Consequence;
  };

  const ProcessTrace &P;
  Stacks S;
  Report &R;
  std::map<uint64_t, State> States;
  std::map<uint64_t, Failure> Last;             ///< by thread
  std::map<size_t, const TraceEvent *> Sources; ///< of new findings
  ReplayAnalysis Replays;
  RecordedCalls Recordings;

  // The events.
  void begin(const TraceEvent &E);
  void call(const TraceEvent &E);
  void failed(const TraceEvent &E);
  void end(const TraceEvent &E);
  void escape(const TraceEvent &E);
  void pageable(const TraceEvent &E);
  void dead(const TraceEvent &End);
  void first(const TraceEvent &E);
  void watched(const TraceEvent &E);
  void replay(const TraceEvent &E) {
    freedInCapture(E);
    Replays.take(E);
  }
  void freedInCapture(const TraceEvent &E);
  llvm::ArrayRef<std::pair<std::string, size_t>> pageableOf(uint64_t Capture);
  void ran(const TraceEvent &) {} // of Recordings alone
  void finish();
  void abandoned();
  void frozen();
  void compare(llvm::ArrayRef<const State *> Group);
  void environment();

  // The finding that is the cause.
  bool outerCall(const TraceEvent &E);
  void errorRead(const TraceEvent &E);
  void broke(const TraceEvent &E, llvm::ArrayRef<uint64_t> Ids);
  void refusedAlone(const TraceEvent &E);
  std::optional<size_t> causeOf(const TraceEvent &E);
  std::optional<size_t> otherThreadsCall(const TraceEvent &E, uint64_t Id);

  // The reported text.
  State *state(uint64_t Id);
  std::vector<uint64_t> active(const TraceEvent &E);
  std::vector<unsigned> ids(llvm::ArrayRef<uint64_t> Traced);
  Thread thread(uint64_t Tid) const;
  std::string describe(llvm::ArrayRef<uint64_t> Traced);
  std::string subject(const TraceEvent &E, llvm::ArrayRef<uint64_t> Traced);
  size_t add(const char *Kind, const TraceEvent &E, std::string Message,
             llvm::ArrayRef<uint64_t> Traced);
  void follow(size_t Cause, const TraceEvent &E);
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_PROCESSANALYSIS_H
