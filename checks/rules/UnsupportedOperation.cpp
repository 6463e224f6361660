//===- UnsupportedOperation.cpp - cudagraph-unsupported-operation ---------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All other operations that CUDA refuses during a capture: operations that a
// graph cannot contain, on the capturing stream itself, and changes of modules,
// graphs, and devices.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

namespace cudagraph {

using catalogue::Effect;
using catalogue::StreamRelation;

std::optional<Finding> checkUnsupportedOperation(const Fact &F,
                                                 const RuleContext &C) {
  if (!isApiCall(F) || F.situations().empty())
    return std::nullopt;
  bool OnStream = false;
  switch (F.Api->Does) {
  case Effect::DeviceManagement:
  case Effect::ModuleManagement:
  case Effect::GraphManagement:
  case Effect::GraphInstantiate:
  case Effect::GraphUpdate:
  case Effect::GraphRetain:
  case Effect::GraphDestroy:
  case Effect::StreamCreate:
  case Effect::EventCreate:
  case Effect::EventDestroy:
  case Effect::CurrentStream:
  case Effect::DefaultStream:
  case Effect::PoolStream:
  case Effect::StreamGuard:
  case Effect::StreamAccessor:
    break;
  case Effect::StreamDestroy:
    if (checkCaptureScope(F, C))
      return std::nullopt;
    break;
  case Effect::StreamWaitEvent:
    if (checkStreamDependency(F, C))
      return std::nullopt;
    OnStream = true;
    break;
  default:
    if (!isForGraph(F.Api->Does) || managesDeviceMemory(F.Api->Does) ||
        checkDefaultStream(F, C) || checkCaptureScope(F, C) ||
        checkLibraryHandle(F, C) || checkRandomState(F, C) ||
        checkSyncCall(F, C))
      return std::nullopt;
    OnStream = true;
    break;
  }
  Finding Result = C.start(F, "cudagraph-unsupported-operation");
  Result.Outcome = C.outcome(F);
  Result.Sentence = C.sentence(F, Result.Outcome, OnStream);
  C.advise(Result, F,
           F.Api->Advice.empty() ? "call it before or after the capture"
                                 : F.Api->Advice);
  return Result;
}

} // namespace cudagraph
