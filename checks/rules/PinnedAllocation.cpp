//===- PinnedAllocation.cpp - cudagraph-pinned-allocation -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pinned host memory is allocated, registered, or freed in a region.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

namespace cudagraph {

using catalogue::Effect;

std::optional<Finding> checkPinnedAllocation(const Fact &F,
                                             const RuleContext &C) {
  if (!isApiCall(F) ||
      (F.Api->Does != Effect::AllocPinned && F.Api->Does != Effect::FreePinned))
    return std::nullopt;
  Finding Result = C.start(F, "cudagraph-pinned-allocation");
  Result.Outcome = C.outcome(F);
  if (F.situations().empty()) {
    // This is a caching host allocator, whose contents determine the outcome.
    Result.Outcome.Kind = OutcomeKind::Depends;
    Result.Outcome.Alternatives = {
        {"the host allocator has no free block", OutcomeKind::Error, 900},
        {"it queries whether a block is free", OutcomeKind::Error, 900}};
    Result.Sentence =
        C.during(F, "'" + F.Callee + "' " + F.Api->Action)
            .then("CUDA may return cudaErrorStreamCaptureUnsupported (900), "
                  "depending on the state of the host allocator");
    C.advise(Result, F, F.Api->Advice);
    return Result;
  }
  Result.Sentence = C.sentence(F, Result.Outcome, /*OnStream=*/false);
  C.advise(Result, F, F.Api->Advice);
  return Result;
}

} // namespace cudagraph
