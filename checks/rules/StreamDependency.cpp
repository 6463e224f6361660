//===- StreamDependency.cpp - cudagraph-stream-dependency -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams that enter a capture and leave it: unjoined forks, work after the
// join, events from outside, events of another capture, and events that were
// never recorded.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"
#include "catalogue/Cues.h"
#include <set>

namespace cudagraph {

using catalogue::Effect;
using catalogue::StreamRelation;

static const char *const Check = "cudagraph-stream-dependency";

/// Adds the locations of unjoined work of \p F, and the events that are too
/// early for it: CUDA detects the error when the capture ends, but these are
/// the lines to change.
static void noteLeft(Finding &Result, const Fact &F, const RuleContext &C) {
  std::set<std::pair<unsigned, std::string>> Said;
  auto Note = [&](LeftWork::Work::Place At, const char *Text) {
    if (At.first.Begin && Said.insert({At.first.Begin, Text}).second)
      Result.Chain.push_back(
          {C.location(At.first), C.function(At.second).Signature, Text});
  };
  for (const LeftWork::Work &Work : F.as<FactKind::Unjoined>()->Left) {
    Note({Work.Call, Work.In}, "this work is not joined");
    FunctionId Within = Work.In;
    for (LeftWork::Work::Place Call : Work.By) {
      if (Within == F.Function)
        break;
      Note(Call, "this call enqueues it");
      Within = Call.second;
    }
    for (LeftWork::Work::Place Record : Work.Early)
      Note(Record, "this event is recorded before that work, not after it");
    for (LeftWork::Work::Place Record : Work.Again)
      Note(Record, "this re-records an event before its work is joined");
  }
}

/// Work uses memory at the same time as work of another branch, and one of them
/// writes to it.
static Finding unordered(const Fact &F, const EarlierWork &Earlier,
                         const RuleContext &C) {
  Finding Result = C.start(F, Check);
  Result.Outcome.Kind = OutcomeKind::Stale;
  Result.Outcome.Evidence = "documentation: CUDA C++ Programming Guide, "
                            "Creating a Graph Using Stream "
                            "Capture";
  std::string Stream = C.text(Earlier.StreamText);
  if (Stream.empty() || Earlier.In != F.Function)
    Stream = "another stream";
  else
    Stream = "stream '" + Stream + "'";
  auto Called = [](const std::string &Name, bool IsKernel) {
    return (IsKernel ? "kernel '" : "'") + Name + "'";
  };
  bool IsKernel = F.Api && F.Api->Does == catalogue::Effect::Launch;
  std::string Other = Called(Earlier.Name, Earlier.IsKernel);
  Result.Sentence = Called(F.Callee, IsKernel) +
                    (Earlier.Writes ? " writes to '" : " reads '") +
                    Earlier.Memory + "', which " + Other +
                    (!Earlier.Wrote   ? " reads on "
                     : Earlier.Writes ? " also writes on "
                                      : " writes on ") +
                    Stream +
                    ", without waiting for it; CUDA returns success, and "
                    "replays may run both at the same time";
  Result.Chain.push_back(
      {C.location(Earlier.Call), C.function(Earlier.In).Signature,
       std::string(Earlier.IsKernel ? "this kernel " : "this call ") +
           (Earlier.Wrote ? "writes to it" : "reads it")});
  if (Earlier.Recorded.Begin)
    Result.Chain.push_back({C.location(Earlier.Recorded),
                            C.function(Earlier.RecordedIn).Signature,
                            cue::RecordedEarly});
  C.advise(Result, F,
           "record an event after '" + Earlier.Name +
               "', and wait for it before '" + F.Callee + "'" +
               (Earlier.Writes ? ", or give each branch its own memory" : ""));
  return Result;
}

std::optional<Finding> checkStreamDependency(const Fact &F,
                                             const RuleContext &C) {
  if (const auto *Forked = F.as<FactKind::Unjoined>()) {
    Finding Result = C.start(F, Check);
    Result.Outcome = C.outcome(F);
    // The name of a stream is meaningful only where it is used.
    std::string Streams;
    for (const LeftWork::Work &Work : Forked->Left) {
      std::string Name =
          Work.In == F.Function ? "'" + C.text(Work.StreamText) + "'" : "";
      if (Name.size() <= 2) {
        Streams.clear();
        break;
      }
      if (Streams.find(Name) == std::string::npos)
        Streams += (Streams.empty() ? "" : " and ") + Name;
    }
    std::string Work = Streams.empty() ? "work of a forked stream"
                                       : "work on stream " + Streams;
    std::string Capture = C.quoted(C.capture(F));
    if (F.Api)
      Result.Sentence = "'" + F.Callee + "' ends the capture of " + Capture +
                        " with unjoined " + Work;
    else
      Result.Sentence =
          Statement("'" + F.Callee + "' returns and leaves " + Work +
                    " unjoined in the capture of " + Capture)
              .then("unless other code joins it, ");
    Result.Sentence.then(C.consequence(F, Result.Outcome));
    noteLeft(Result, F, C);
    C.advise(Result, F,
             "record an event after it, and make " + C.quoted(C.capture(F)) +
                 " wait for that event before the capture ends");
    return Result;
  }
  if (const auto *Earlier = F.as<FactKind::Unordered>())
    return unordered(F, *Earlier, C);
  if (F.Kind == FactKind::NoRecord) {
    Finding Result = C.start(F, Check);
    Result.Outcome.Kind = OutcomeKind::Stale;
    Result.Outcome.Evidence = F.Api->Sources.empty()
                                  ? ""
                                  : F.Api->Sources.front().Kind + ": " +
                                        F.Api->Sources.front().Source;
    Result.Sentence = "'" + F.Callee + "' waits for event '" +
                      C.text(F.call().EventText) +
                      "', which was never recorded; CUDA returns success, but "
                      "the graph has no dependency";
    C.advise(Result, F, "record the event in the capture first");
    return Result;
  }
  if (F.Kind == FactKind::EventOver) {
    Finding Result = C.start(F, Check);
    Result.Outcome = C.outcome(F);
    std::string Event = C.text(F.call().EventText);
    Result.Sentence =
        Statement("'" + F.Callee + "' uses " +
                  (Event.empty() ? "an event" : "event '" + Event + "'") +
                  " outside the capture of " + C.quoted(C.capture(F)) +
                  ", which recorded it")
            .then("CUDA returns " + std::string(catalogue::errorName(1)) +
                  " (1)");
    C.advise(Result, F,
             "record it after the launch of the graph, or in the capture as an "
             "external event");
    return Result;
  }
  if (!isApiCall(F) || F.Api->Does != Effect::StreamWaitEvent)
    return std::nullopt;
  // If the wait is refused because of its stream, another check reports it.
  for (const Situation &S : F.situations())
    if (S.Relation == StreamRelation::Legacy)
      return std::nullopt;
  Finding Result = C.start(F, Check);
  Result.Outcome = C.outcome(F);
  std::string Event = C.text(F.call().EventText);
  std::string Does = "'" + F.Callee + "' makes stream '" +
                     C.text(F.call().StreamText) + "' wait for " +
                     (Event.empty() ? "an event" : "event '" + Event + "'");
  bool Foreign = Result.Outcome.Code == 902;
  if (Foreign)
    Does += ", which another capture recorded,";
  else if (Result.Outcome.Code == 905)
    Does += ", which was recorded outside the capture,";
  else if (Result.Outcome.Code == 1)
    Does += ", which was recorded in an earlier capture,";
  Result.Sentence = C.during(F, Does).then(C.consequence(F, Result.Outcome));
  C.advise(
      Result, F,
      Foreign
          ? "do not mix the captures, or capture both streams in one capture"
          : "record the event in the capture, or wait with "
            "cudaEventWaitExternal for an event that is recorded outside");
  return Result;
}

} // namespace cudagraph
