//===- RandomState.cpp - cudagraph-random-state ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random numbers in a graph must come from a state on the device that advances
// there. A seed or an offset from the host is frozen in its node, and each
// replay draws the same numbers.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"
#include "catalogue/Cues.h"

namespace cudagraph {

using catalogue::Effect;

std::optional<Finding> checkRandomState(const Fact &F, const RuleContext &C) {
  const char Check[] = "cudagraph-random-state";
  std::string Callee = "'" + F.Callee + "'";
  std::string Replay = "every replay will use the same random numbers";
  if (F.Kind == FactKind::ApiCall && F.Api &&
      F.Api->Does == Effect::RandomState) {
    Finding Result = C.start(F, Check);
    Result.Outcome.Kind = OutcomeKind::Stale;
    Result.Sentence = Callee + " " + F.Api->Action + " during the capture of " +
                      C.captureText(F).text() + "; " + Replay;
    C.advise(Result, F,
             F.Api->Advice.empty()
                 ? "keep the state in device memory, and let the graph advance "
                   "it"
                 : F.Api->Advice);
    return Result;
  }
  if (isApiCall(F) && F.Api->Does == Effect::LibraryCall &&
      F.Api->has(catalogue::Trait::Draws) && !F.situations().empty() &&
      !checkDefaultStream(F, C)) {
    Finding Result = C.start(F, Check);
    Result.Outcome = C.outcome(F);
    Result.Sentence = C.sentence(F, Result.Outcome, true);
    C.advise(Result, F, F.Api->Advice);
    return Result;
  }
  if (const auto *Value = F.as<FactKind::VaryingUse>();
      Value && Value->Why == Variation::Random &&
      Value->Use.As != RetainedAs::Size &&
      Value->Use.As != RetainedAs::Config) {
    Finding Result = C.start(F, Check);
    Result.Outcome.Kind = OutcomeKind::Stale;
    Result.Sentence = "a number drawn on the host is an argument of " + Callee +
                      ", which keeps it; " + Replay;
    if (C.location(Value->Where).valid())
      Result.Chain.push_back({C.location(Value->Where),
                              C.function(F.Function).Signature, cue::Drawn});
    C.advise(Result, F,
             "keep the seed and the offset in device memory, and let the graph "
             "advance the offset");
    return Result;
  }
  if (const auto *Value = F.as<FactKind::VaryingUse>(); Value && Value->Seeds) {
    Finding Result = C.start(F, Check);
    Result.Outcome.Kind = OutcomeKind::Stale;
    Result.Sentence = "argument '" + Value->Argument.value_or("") + "' of " +
                      Callee + " seeds a generator with parameter '" +
                      Value->Name + "' of " + C.called(Value->In) + "; " +
                      Replay;
    C.advise(Result, F,
             "take the seed and the offset from device memory, which the "
             "caller updates before each launch of the graph");
    return Result;
  }
  if (F.Kind == FactKind::Rederives) {
    Finding Result = C.start(F, Check);
    Result.Outcome.Kind = OutcomeKind::Stale;
    Result.Sentence =
        Callee + " draws new random numbers in a backward pass; in a graph, "
                 "they differ from those of the forward pass, even if the "
                 "generator is set to the same state";
    C.advise(Result, F,
             "let the forward function store the seed and the offset in a "
             "tensor, and pass it to the backward function");
    return Result;
  }
  if (F.Kind == FactKind::Seeds) {
    Finding Result = C.start(F, Check);
    Result.Outcome.Kind = OutcomeKind::Stale;
    Result.Sentence = "kernel " + Callee +
                      " seeds its generators from its arguments; " + Replay;
    C.advise(Result, F,
             "initialize the states once, before the capture, and let captured "
             "kernels load and store them");
    return Result;
  }
  if (const auto *Draws = F.as<FactKind::Repeats>()) {
    Finding Result = C.start(F, Check);
    Result.Outcome.Kind = OutcomeKind::Stale;
    const catalogue::NamedRole *Why = nullptr;
    for (const catalogue::NamedRole *Each :
         C.catalogue().names(catalogue::Role::HostRepeats))
      if (!Why && Each->Value == Draws->Type)
        Why = Each;
    if (!Why)
      return std::nullopt;
    Result.Outcome.Evidence =
        Why->Sources.front().Kind + ": " + Why->Sources.front().Source;
    Result.Sentence =
        Callee + " " +
        (Why->Action.empty() ? "draws from a generator that keeps its state on "
                               "the host"
                             : Why->Action) +
        "; " + Replay;
    C.advise(Result, F,
             Why->Advice.empty() ? "use a generator that advances on the device"
                                 : Why->Advice);
    return Result;
  }
  return std::nullopt;
}

} // namespace cudagraph
