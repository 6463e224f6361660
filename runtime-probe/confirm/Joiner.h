//===- Joiner.h - Findings, events, and results -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Join.cpp assigns events to findings, and Verdict.cpp derives the results.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CONFIRM_JOINER_H
#define CUDAGRAPH_PROBE_CONFIRM_JOINER_H

#include "Confirm.h"
#include "Match.h"
#include "Silent.h"
#include <map>
#include <set>

namespace cudagraph::confirm {

class Joiner {
public:
  Joiner(const StaticResult &Static, const Run &Seen)
      : Static(Static), Seen(Seen), Matches(Static.Findings.size()) {}

  Joined run();

private:
  struct Candidate {
    const Event *E;
    Match At;
    const NodeCall *Node = nullptr; ///< to which the finding of the run refers
  };
  struct Found {
    std::vector<Candidate> Findings, Watched, Consequences;
    std::vector<const Recorded *> Calls; ///< that recorded its nodes
  };
  const StaticResult &Static;
  const Run &Seen;
  FileTable Files;
  std::vector<Found> Matches; ///< for each static finding
  std::set<const Event *> Taken;
  std::map<unsigned, const Capture *> Captures;
  std::map<unsigned, unsigned> RegionOf; ///< for each capture

  using List = std::vector<Candidate> Found::*;
  void assign(const Event &E, const Event &Whole, List To);
  void assignNodes();
  void preferExact(List Of);
  unsigned nearestRegion(const std::vector<Frame> &Begin);
  bool inRegion(const Event &E, const StaticFinding &F) const;
  std::set<unsigned> capturesOf(const StaticFinding &F) const;
  std::set<int> codes(const StaticFinding &F, const Event &E) const;
  bool isBroken(const Event &E) const;
  bool fits(const StaticFinding &F, const Event &E) const;
  bool showsFrozen(const StaticFinding &F, const Event &E);

  Confirmation decide(const StaticFinding &F, const Found &All);
  Confirmation confirmed(const StaticFinding &F,
                         const std::vector<Candidate> &Candidates,
                         bool AsPredicted) const;
  Confirmation executed(const StaticFinding &F, const Found &All,
                        const std::vector<Candidate> &Others) const;
  Confirmation absent(const StaticFinding &F) const;
  Confirmation left(const StaticFinding &F) const;
  Confirmation silent(const StaticFinding &F, const Found &All,
                      const std::vector<Candidate> &Others) const;
};

} // namespace cudagraph::confirm

#endif // CUDAGRAPH_PROBE_CONFIRM_JOINER_H
