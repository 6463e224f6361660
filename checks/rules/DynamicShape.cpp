//===- DynamicShape.cpp - cudagraph-dynamic-shape -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph keeps the launch configuration, the copy extent and the allocation
// size that were current at capture. Values that come from the device, or from
// host state that changes from step to step, are frozen with it; operators
// whose output size depends on data have to ask the device and are refused.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

namespace cudagraph {

using catalogue::Effect;

std::optional<Finding> checkDynamicShape(const Fact &F, const RuleContext &C) {
  const char Check[] = "cudagraph-dynamic-shape";
  if (F.Kind == FactKind::ApiCall && F.Api &&
      F.Api->Does == Effect::DynamicShape) {
    Finding Result = C.start(F, Check);
    Result.Outcome = C.outcome(F);
    if (F.Situations.empty())
      Result.Outcome.Kind = OutcomeKind::Stale;
    std::string Then = C.consequence(F, Result.Outcome);
    Result.Message = "'" + F.Callee + "' " + F.Api->Action + " while " +
                     C.describeCapture(C.capture(F)) + " captures; " +
                     (Then.empty() ? "its size is frozen at capture" : Then);
    C.advise(Result, F, F.Api->Advice);
    return Result;
  }
  if (F.Kind != FactKind::VaryingUse)
    return std::nullopt;
  Finding Result = C.start(F, Check);
  Result.Outcome.Kind = OutcomeKind::Stale;
  std::string Where = F.What == "size"
                          ? "the size given to '" + F.Callee + "'"
                          : "the " + F.What + " of kernel '" + F.Callee + "'";
  switch (*F.Varies) {
  case Variation::DeviceRead:
    Result.Message = Where + " is computed from a value read back from the "
                             "device; replays keep the one seen at capture";
    break;
  case Variation::Clock:
    Result.Message = Where + " is computed from a value that differs from call "
                             "to call; replays keep the one seen at capture";
    break;
  case Variation::HostState:
    Result.Message = Where + " is computed from host state that changes "
                             "between replays; they keep the value at capture";
    break;
  }
  if (F.VariesAt.Begin)
    Result.Notes.push_back({C.location(F.VariesAt),
                            C.function(F.Function).Signature,
                            "the value is read here"});
  C.advise(Result, F,
           "launch for the largest size and let the kernel read the actual one "
           "from device memory, or capture one graph for each size");
  return Result;
}

} // namespace cudagraph
