//===- IgnoredResult.cpp - cudagraph-ignored-result -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports unnoticed errors: a call that CUDA refuses without ending the capture
// is silently missing from the graph, a begin or end call that fails leaves a
// null graph, and an update that fails leaves the old nodes.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

namespace cudagraph {

std::optional<Finding> checkIgnoredResult(const Fact &F, const RuleContext &C) {
  if (F.Kind != FactKind::Dropped && F.Kind != FactKind::Unchecked)
    return std::nullopt;
  Finding Result = C.start(F, "cudagraph-ignored-result");
  Result.Outcome.Kind = OutcomeKind::Stale;
  if (!F.Api->Sources.empty())
    Result.Outcome.Evidence =
        F.Api->Sources.front().Kind + ": " + F.Api->Sources.front().Source;
  if (F.Kind == FactKind::Dropped) {
    cudagraph::Outcome Refused = C.outcome(F);
    Result.Sentence =
        Statement("the result of '" + F.Callee + "' is ignored")
            .then(C.consequence(F, Refused))
            .then("; the call is silently missing from the graph");
    C.advise(Result, F, "check the result");
    return Result;
  }
  if (F.Api->Does == catalogue::Effect::GraphUpdate) {
    Result.Outcome.Evidence =
        "measured: H200, driver 580.159.04, CUDA 13.0: updates with the same "
        "and with another topology, and launches after them";
    Result.Sentence =
        "the result of '" + F.Callee +
        "' is ignored; if the new graph has other nodes or edges, " +
        C.errorText(910) + ", and launches will run the old nodes";
    C.advise(Result, F,
             "check the result, and instantiate the graph again if the update "
             "fails");
    return Result;
  }
  Result.Sentence = "the result of '" + F.Callee +
                    "' is ignored; a failed capture goes unnoticed";
  C.advise(Result, F, "check the result before the graph is used");
  return Result;
}

} // namespace cudagraph
