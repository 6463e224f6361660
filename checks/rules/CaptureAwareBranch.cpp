//===- CaptureAwareBranch.cpp - cudagraph-capture-aware-branch ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that asks whether a stream captures may leave out what a capture cannot
// hold. If it launches something else instead, the graph computes something
// else than the eager run that it was tested against.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

namespace cudagraph {

std::optional<Finding> checkCaptureAwareBranch(const Fact &F,
                                               const RuleContext &C) {
  const auto *Work = F.as<FactKind::AwareBranch>();
  if (!Work)
    return std::nullopt;
  Finding Result = C.start(F, "cudagraph-capture-aware-branch");
  Result.Outcome.Kind = OutcomeKind::Stale;
  Result.Callee.clear();
  Result.Says =
      Work->Capturing.empty()
          ? "while a stream captures, this leaves out " + Work->Otherwise +
                "; replays do not do what the eager run does"
      : Work->Otherwise.empty()
          ? "only while a stream captures, this enqueues " + Work->Capturing +
                "; replays do what the eager run does not"
          : "while a stream captures, this enqueues " + Work->Capturing +
                ", otherwise " + Work->Otherwise +
                "; unless both compute the same, replays differ from the "
                "eager run";
  C.advise(Result, F,
           "enqueue the same work on both ways, and keep only what a capture "
           "forbids out of it");
  return Result;
}

} // namespace cudagraph
