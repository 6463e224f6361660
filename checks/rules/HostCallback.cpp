//===- HostCallback.cpp - cudagraph-host-callback -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host function becomes a node of the graph and runs on every replay, with
// the same data. It must not call CUDA, and data that it frees no longer exists
// on the next replay. Stream callbacks, the predecessors of host functions,
// cannot be captured.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"

namespace cudagraph {

using catalogue::Effect;

std::optional<Finding> checkHostCallback(const Fact &F, const RuleContext &C) {
  const char Check[] = "cudagraph-host-callback";
  if (isApiCall(F) && F.Api->Does == Effect::StreamCallback &&
      !F.situations().empty()) {
    Finding Result = C.start(F, Check);
    Result.Outcome = C.outcome(F);
    Result.Sentence = C.sentence(F, Result.Outcome, true);
    C.advise(Result, F,
             F.Api->Advice.empty() ? "enqueue it with cudaLaunchHostFunc"
                                   : F.Api->Advice);
    return Result;
  }
  if (F.Kind == FactKind::CallbackFrees) {
    Finding Result = C.start(F, Check);
    Result.Outcome.Kind = OutcomeKind::Dangling;
    Result.Sentence = (C.function(F.Function).IsLambda
                           ? std::string("the host function")
                           : "the host function " + C.called(F.Function)) +
                      " frees its data, and every replay passes the same data "
                      "to it again; the second replay will use freed memory";
    C.advise(Result, F,
             "let the graph free it: cudaUserObjectCreate and "
             "cudaGraphRetainUserObject");
    return Result;
  }
  if (F.Kind == FactKind::CallbackCalls) {
    Finding Result = C.start(F, Check);
    Result.Outcome.Kind = OutcomeKind::Error;
    Result.Outcome.Code = 800;
    Result.Outcome.Name = "cudaErrorNotPermitted";
    Result.Outcome.Evidence = "measured: H100, driver 580.159.04, CUDA 13.0: "
                              "hazards/host_callback.cu, calls-cuda";
    std::string Call = F.Callee == "<<<>>>" ? "a kernel is launched"
                                            : "'" + F.Callee + "' is called";
    Result.Sentence = Call + " in a host function of the graph; CUDA returns "
                             "cudaErrorNotPermitted (800) on every replay";
    C.advise(Result, F,
             "capture the call itself, or make it after the graph has run");
    return Result;
  }
  return std::nullopt;
}

} // namespace cudagraph
