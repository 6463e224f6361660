//===- GrowingWorkspace.cpp - cudagraph-growing-workspace -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer that grows on demand is freed, allocated, and assigned again; a
// kernel node retains the old address. The launch after the growth uses freed
// memory, which may then belong to another allocation, and does not write to
// the new buffer.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

namespace cudagraph {

std::optional<Finding> checkGrowingWorkspace(const Fact &F,
                                             const RuleContext &C) {
  const auto *Memory = F.as<FactKind::Grows>();
  if (!Memory || !Memory->Use.OnDevice || Memory->Rebinds)
    return std::nullopt;
  Finding Result = C.start(F, "cudagraph-growing-workspace");
  Result.Outcome.Kind = OutcomeKind::Dangling;
  Result.Chain.push_back(
      {C.location(Memory->Where), C.function(Memory->In).Signature,
       "'" + F.Callee + "' is captured with the address of '" + Memory->Object +
           "' here"});
  bool Pooled = Memory->How == Ending::Recycled;
  Result.Sentence =
      C.called(F.Function) +
      (Pooled ? " returns the memory of '" : " frees and reallocates '") +
      Memory->Object + "'" + (Pooled ? " to a pool" : "") +
      " while the graph captured on " + C.quoted(C.capture(F)) +
      " holds its old address in '" + F.Callee +
      (Pooled ? "'; replays will use memory that may have "
                "another user"
              : "'; replays will use freed memory");
  C.advise(Result, F,
           "capture the graph again after the buffer grows, set the new "
           "address with cudaGraphExecKernelNodeSetParams, or allocate the "
           "largest size before the capture");
  return Result;
}

} // namespace cudagraph
