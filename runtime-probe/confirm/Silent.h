//===- Silent.h - Results that no call reports ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Findings about replays: CUDA returns success, but the nodes and the lines
// that ran between the launches show the error.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CONFIRM_SILENT_H
#define CUDAGRAPH_PROBE_CONFIRM_SILENT_H

#include "Confirm.h"
#include <set>

namespace cudagraph::confirm {

/// True if CUDA refuses the second launch, not a call in the capture.
bool isAtLaunch(const StaticFinding &F);
/// True if the calls in the capture succeed, and a replay is wrong or refused.
bool isSilent(const StaticFinding &F);
/// True if the finding is about host code that a capture does not contain: no
/// node is created there.
bool isHostLogic(const StaticFinding &F);
/// True if the finding is about a path that leaves a capture active.
bool leavesCapture(const StaticFinding &F);
/// The lines whose execution confirms or refutes \p F.
std::vector<Position> linesOf(const StaticFinding &F);

class SilentVerdict {
public:
  /// \p Calls recorded the nodes to which \p F refers, or, for host logic,
  /// those of its region; \p Captures are the captures of its region.
  SilentVerdict(const StaticFinding &F, const Run &Seen,
                const std::vector<const Recorded *> &Calls,
                const std::set<unsigned> &Captures);

  /// The result; NotExecuted if no part of it was observed.
  Confirmation decide() const;

private:
  const StaticFinding &F;
  const Run &Seen;
  const std::vector<const Recorded *> &Calls;
  const std::set<unsigned> &Captures;
  std::vector<const WatchedLine *> Lines; ///< of the finding
  unsigned Launches = 0, Relaunches = 0;
  std::set<unsigned> In; ///< captures in which the nodes were recorded

  void atLaunch(Confirmation &C) const;
  void unordered(Confirmation &C) const;
  void dangling(Confirmation &C) const;
  bool ended(Confirmation &C) const;
  bool endedLater() const;
  bool endedByLine(Confirmation &C) const;
  bool complete() const;
  bool sets() const;
  bool isBroken(const WatchedLine &L) const;
  std::string ownValue(const WatchedLine &L) const;
  void stale(Confirmation &C) const;
  bool inCapture(Confirmation &C) const;
  void notLaunched(Confirmation &C) const;
  unsigned launchesAfter(const WatchedLine &L) const;
  bool ranAfterAll(const WatchedLine &L) const;
  bool isMemory(std::initializer_list<const char *> Kinds) const;
  bool ofHost() const;
  bool isHostMemory(const char *Kind) const;
  unsigned ranInCapture(const WatchedLine &L) const;
  bool hasReturned(const std::string &Function) const;
  /// Why the result is not known; \p Subject names what was not observed.
  std::string whyNot(const std::string &Subject) const;
  void set(Confirmation &C, Status Is, const std::string &Text) const;
};

} // namespace cudagraph::confirm

#endif // CUDAGRAPH_PROBE_CONFIRM_SILENT_H
