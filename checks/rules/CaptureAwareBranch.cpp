//===- CaptureAwareBranch.cpp - cudagraph-capture-aware-branch ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that tests whether a stream is capturing may skip operations that a
// capture forbids. If it launches different work instead, the result of the
// graph differs from that of the eager run with which it was compared.
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
  Result.Sentence =
      Work->Capturing.empty() ? "while a stream captures, this skips " +
                                    Work->Otherwise + "; replays lack this work"
      : Work->Otherwise.empty()
          ? "this enqueues " + Work->Capturing +
                " only while a stream captures; replays do work that the eager "
                "run does not"
          : "while a stream captures, this enqueues " + Work->Capturing +
                ", otherwise " + Work->Otherwise +
                "; unless both compute the same result, replays differ from "
                "the eager run";
  C.advise(Result, F,
           "enqueue the same work in both branches, and skip only what a "
           "capture forbids");
  return Result;
}

} // namespace cudagraph
