//===- DeviceAllocation.cpp - cudagraph-device-allocation -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is allocated or freed in a region. CUDA refuses the call, or,
// if it is in stream order on a stream that does not capture, executes it once,
// outside the graph.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"
#include "catalogue/Cues.h"

namespace cudagraph {

std::optional<Finding> checkDeviceAllocation(const Fact &F,
                                             const RuleContext &C) {
  if (const auto *Memory = F.as<FactKind::Cached>()) {
    Finding Result = C.start(F, "cudagraph-device-allocation");
    Result.Outcome.Kind = OutcomeKind::Dangling;
    const std::string Kept = "' keeps for later work; ";
    const std::string Again =
        "every replay allocates it again, and no other work may use it";
    Result.Sentence =
        Memory->IfCaptured
            ? "'" + F.Callee + "' allocates memory that '" + Memory->Object +
                  Kept + "if the stream of the call captures, " + Again +
                  "; otherwise, the allocation is not in the graph"
            : "'" + F.Callee + "' allocates graph memory that '" +
                  Memory->Object + Kept + Again;
    C.advise(Result, F,
             "allocate it before the capture, or free it in the capture");
    return Result;
  }
  if (const auto *Memory = F.as<FactKind::Unfreed>()) {
    Finding Result = C.start(F, "cudagraph-device-allocation");
    Result.Outcome.Kind = OutcomeKind::Error;
    Result.Outcome.Code = 1;
    Result.Sentence = "'" + F.Callee +
                      "' allocates graph memory that is never freed; " +
                      C.errorText(1) + cue::SecondLaunch;
    if (C.location(Memory->Where).valid())
      Result.Chain.push_back({C.location(Memory->Where),
                              C.function(Memory->In).Signature,
                              cue::LaunchedAgain});
    C.advise(Result, F,
             "free it in the capture, or instantiate the graph with the flag "
             "that frees its memory at each launch");
    return Result;
  }
  if (!isApiCall(F) || !managesDeviceMemory(F.Api->Does))
    return std::nullopt;
  bool Ordered = becomesNode(F.Api->Does);
  Finding Result = C.start(F, "cudagraph-device-allocation");
  Result.Outcome = C.outcome(F);
  Result.Sentence = C.sentence(F, Result.Outcome, Ordered);
  C.advise(Result, F, F.Api->Advice);
  if (Ordered)
    C.fixStream(Result, F);
  return Result;
}

} // namespace cudagraph
