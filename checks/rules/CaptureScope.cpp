//===- CaptureScope.cpp - cudagraph-capture-scope -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Begin and end calls that are made twice, on the wrong stream, or from the
// wrong thread, or that are missing on some path. This rule also reports
// operations in between that are illegal on the capturing stream.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"
#include "catalogue/Cues.h"

namespace cudagraph {

using catalogue::Effect;
using catalogue::StreamRelation;

static bool onCapture(const Fact &F) {
  for (const Situation &S : F.situations())
    if (S.Relation != StreamRelation::Origin &&
        S.Relation != StreamRelation::Joined &&
        S.Relation != StreamRelation::None) // the current stream
      return false;
  return !F.situations().empty();
}

static std::string advice(const Fact &F, const cudagraph::Outcome &O) {
  switch (F.Api->Does) {
  case Effect::CaptureEnd:
    if (O.Code == 908)
      return "end it on the thread that began it, or begin it in relaxed mode";
    return "end the capture on the stream on which it began";
  case Effect::CaptureBegin:
    if (!onCapture(F))
      return "capture on a stream that was created for the capture";
    return "end the active capture first";
  default:
    return F.Api->Advice;
  }
}

std::optional<Finding> checkCaptureScope(const Fact &F, const RuleContext &C) {
  const char *const Id = "cudagraph-capture-scope";
  if (const auto *Return = F.as<FactKind::OpenEnd>()) {
    Finding Result = C.start(F, Id);
    Result.Outcome = C.outcome(F);
    Result.Callee = F.Callee;
    Result.Sentence =
        Statement("this " + Return->Keyword + " leaves ")
            .with(C.captureText(F))
            .with(" capturing")
            .then(std::string(cue::LaterWaits) +
                  std::string(catalogue::errorName(900)) + " (900)");
    if (Return->Thrown.Begin)
      Result.Chain.push_back({C.location(Return->Thrown),
                              C.function(Return->ThrownIn).Signature,
                              cue::Thrown});
    C.advise(Result, F, "end the capture, and destroy its graph, on this path");
    return Result;
  }
  if (const auto *Left = F.as<FactKind::ModeLeft>()) {
    Finding Result = C.start(F, Id);
    Result.Outcome.Kind = OutcomeKind::Unknown;
    Result.Outcome.Evidence =
        "documentation: CUDA 13.0 Runtime API, Stream Management: the mode of "
        "the thread lasts until the next exchange";
    const char *Mode = Left->Mode == 2   ? "in relaxed mode"
                       : Left->Mode == 1 ? "in thread-local mode"
                                         : "in a different capture mode";
    Result.Sentence = "this return leaves the thread " + std::string(Mode) +
                      "; other paths of " + C.called(F.Function) +
                      " restore the mode, which determines which calls CUDA "
                      "refuses during later captures";
    Result.Chain.push_back({C.location(Left->Exchange),
                            C.function(F.Function).Signature, cue::Exchanged});
    C.advise(Result, F,
             "exchange the mode again on this path, or in the destructor of an "
             "object");
    return Result;
  }
  if (F.Kind != FactKind::ApiCall || !F.Api)
    return std::nullopt;
  switch (F.Api->Does) {
  case Effect::CaptureBegin:
  case Effect::CaptureEnd:
  case Effect::CaptureQuery:
  case Effect::CaptureUpdate:
  case Effect::ModeExchange:
    break;
  case Effect::GraphLaunch:
  case Effect::StreamDestroy:
    if (F.OtherThread || !onCapture(F))
      return std::nullopt;
    break;
  default:
    return std::nullopt;
  }
  Finding Result = C.start(F, Id);
  Result.Outcome = C.outcome(F);
  Result.Sentence =
      C.sentence(F, Result.Outcome, F.Api->Does != Effect::CaptureQuery);
  if (C.capture(F).Refused)
    Result.Sentence =
        Statement("'" + F.Callee +
                  "' begins a capture on the legacy default stream")
            .then(C.consequence(F, Result.Outcome));
  C.advise(Result, F, advice(F, Result.Outcome));
  return Result;
}

} // namespace cudagraph
