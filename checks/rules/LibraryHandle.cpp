//===- LibraryHandle.cpp - cudagraph-library-handle -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Library handles, plans, and generators allocate device memory when they are
// created, and free it when they are destroyed. Workspaces grow on first use.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

namespace cudagraph {

using catalogue::Effect;
using catalogue::StreamRelation;

std::optional<Finding> checkLibraryHandle(const Fact &F, const RuleContext &C) {
  if (const auto *Why = F.as<FactKind::OldLibrary>()) {
    Finding Result = C.start(F, "cudagraph-library-handle");
    Result.Outcome.Kind = OutcomeKind::Unknown;
    Result.Outcome.Evidence = "version in the library's header";
    Result.Sentence =
        C.during(F, "'" + F.Callee + "' is called").then(Why->Text);
    C.advise(Result, F, "update the library, or call this outside the capture");
    return Result;
  }
  if (!isApiCall(F))
    return std::nullopt;
  bool Call = false;
  switch (F.Api->Does) {
  case Effect::LibraryHandle:
  case Effect::LibraryStream:
  case Effect::PointerMode:
  case Effect::LibraryReset:
    break;
  case Effect::LibraryCall:
    if (F.Api->has(catalogue::Trait::Draws))
      return std::nullopt; // cudagraph-random-state
    if (F.Api->has(catalogue::Trait::Waits))
      return std::nullopt; // cudagraph-sync-call
    // A routine that fails on the capturing stream itself.
    for (const Situation &S : F.situations())
      if (S.Relation == StreamRelation::Legacy ||
          S.Relation == StreamRelation::PerThread ||
          S.Relation == StreamRelation::Other)
        return std::nullopt;
    Call = true;
    break;
  default:
    return std::nullopt;
  }
  Finding Result = C.start(F, "cudagraph-library-handle");
  Result.Outcome = C.outcome(F);
  Result.Sentence = C.sentence(F, Result.Outcome, Call);
  if (Result.Outcome.Kind == OutcomeKind::Error)
    Result.Sentence.then(" inside the library, which returns its own status");
  C.advise(Result, F,
           F.Api->Advice.empty() ? "call it before the capture"
                                 : F.Api->Advice);
  return Result;
}

} // namespace cudagraph
