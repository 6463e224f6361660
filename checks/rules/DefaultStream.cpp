//===- DefaultStream.cpp - cudagraph-default-stream -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work on a stream that is not part of the capture. During a capture on a
// blocking stream, CUDA refuses work on the legacy default stream. During a
// capture on a non-blocking stream, it silently runs the work immediately,
// outside the graph.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

std::optional<Finding> checkDefaultStream(const Fact &F, const RuleContext &C) {
  // cudagraph-device-allocation reports memory.
  if (!isApiCall(F) || !isForGraph(F.Api->Does) ||
      managesDeviceMemory(F.Api->Does))
    return std::nullopt;
  // Work that CUDA refuses on the capturing stream itself is a different
  // problem.
  size_t Inside = llvm::count_if(F.situations(), [](const Situation &S) {
    return S.Relation == catalogue::StreamRelation::Origin ||
           S.Relation == catalogue::StreamRelation::Joined ||
           S.Relation == catalogue::StreamRelation::None;
  });
  if (Inside &&
      (Inside == F.situations().size() || F.sure() != Confidence::Possible))
    return std::nullopt;
  Finding Result = C.start(F, "cudagraph-default-stream");
  Result.Outcome = C.outcome(F);
  Result.Sentence = C.sentence(F, Result.Outcome, /*OnStream=*/true);
  const std::string &Name = F.call().StreamInScope;
  if (!F.call().UnusedStreamParam.empty())
    C.advise(Result, F,
             "the stream parameter '" + F.call().UnusedStreamParam +
                 "' is not used for this call");
  else if (!Name.empty())
    C.advise(Result, F, "use '" + Name + "', the capturing stream");
  else if (auto Current =
               C.catalogue().names(catalogue::Role::CurrentTensorStream);
           !Current.empty() && (C.capture(F).Root == RootKind::Libtorch ||
                                C.capture(F).Root == RootKind::TorchOps))
    C.advise(Result, F, "use " + Current.front()->Name + "()");
  else
    C.advise(Result, F, "pass the capturing stream to this function");
  C.fixStream(Result, F);
  return Result;
}

} // namespace cudagraph
