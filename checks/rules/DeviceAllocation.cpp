//===- DeviceAllocation.cpp - cudagraph-device-allocation -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is allocated or freed in a region: refused, or, in stream order
// on a stream that does not capture, done once and outside the graph.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

namespace cudagraph {

using catalogue::Effect;

std::optional<Finding> checkDeviceAllocation(const Fact &F,
                                             const RuleContext &C) {
  if (!isApiCall(F))
    return std::nullopt;
  bool Ordered = false;
  switch (F.Api->Does) {
  case Effect::AllocAsync:
  case Effect::FreeAsync:
    Ordered = true;
    break;
  case Effect::AllocDevice:
  case Effect::FreeDevice:
  case Effect::MemoryManagement:
    break;
  default:
    return std::nullopt;
  }
  Finding Result = C.start(F, "cudagraph-device-allocation");
  Result.Outcome = C.outcome(F);
  Result.Says = C.sentence(F, Result.Outcome, Ordered);
  C.advise(Result, F, F.Api->Advice);
  if (Ordered)
    C.fixStream(Result, F);
  return Result;
}

} // namespace cudagraph
