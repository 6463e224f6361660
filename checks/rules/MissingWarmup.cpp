//===- MissingWarmup.cpp - cudagraph-missing-warmup -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Initialization on first use, guarded by a flag that the work itself sets,
// becomes part of the graph if the first call is captured. Each replay repeats
// it, and no other graph contains it. One eager run before the capture is the
// documented remedy.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

namespace cudagraph {

std::optional<Finding> checkMissingWarmup(const Fact &F, const RuleContext &C) {
  const auto *First = F.as<FactKind::LazyWork>();
  if (!First)
    return std::nullopt;
  Finding Result = C.start(F, "cudagraph-missing-warmup");
  Result.Outcome.Kind = OutcomeKind::Stale;
  Result.Callee.clear();
  Result.Sentence = "the initialization that '" + First->Flag + "' guards (" +
                    First->Work +
                    ") is captured because no warm-up ran; every replay will "
                    "repeat it";
  C.advise(Result, F,
           "run " + C.called(F.Function) + " once before the capture begins");
  return Result;
}

} // namespace cudagraph
