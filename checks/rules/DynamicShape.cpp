//===- DynamicShape.cpp - cudagraph-dynamic-shape -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph retains the launch configuration, the copy extent, and the allocation
// size from its capture. Values that come from the device, or from host state
// that changes from step to step, are frozen. Operators whose output size
// depends on data must read from the device and are refused.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"
#include "catalogue/Cues.h"

namespace cudagraph {

using catalogue::Effect;

std::optional<Finding> checkDynamicShape(const Fact &F, const RuleContext &C) {
  const char Check[] = "cudagraph-dynamic-shape";
  if (F.Kind == FactKind::ApiCall && F.Api &&
      F.Api->Does == Effect::DynamicShape) {
    Finding Result = C.start(F, Check);
    Result.Outcome = C.outcome(F);
    if (F.situations().empty())
      Result.Outcome.Kind = OutcomeKind::Stale;
    std::string Then = C.consequence(F, Result.Outcome);
    Result.Sentence =
        C.during(F, "'" + F.Callee + "' " + F.Api->Action)
            .then(Then.empty() ? "its size is frozen at capture" : Then);
    C.advise(Result, F, F.Api->Advice);
    return Result;
  }
  const auto *Value = F.as<FactKind::VaryingUse>();
  if (!Value || (Value->Use.As != RetainedAs::Size &&
                 Value->Use.As != RetainedAs::Config))
    return std::nullopt;
  Finding Result = C.start(F, Check);
  Result.Outcome.Kind = OutcomeKind::Stale;
  std::string Part = F.subject();
  std::string Where =
      Value->Use.As == RetainedAs::Size ? "the size given to '" + F.Callee + "'"
      : Part == "size" ? "the launch configuration of '" + F.Callee + "'"
                       : "the " + Part + " of kernel '" + F.Callee + "'";
  std::string Other = C.called(Value->In), Note;
  switch (Value->Why) {
  case Variation::DeviceRead:
    Result.Sentence = Where + " is computed from a value read back from the "
                              "device; replays keep the value from the capture";
    Note = cue::Read;
    break;
  case Variation::Clock:
  case Variation::Random:
    Result.Sentence = Where +
                      " is computed from a value that differs from call "
                      "to call; replays keep the value from the capture";
    Note = cue::Read;
    break;
  case Variation::HostState:
    Result.Sentence =
        Where + " is computed from host state that changes "
                "between replays; replays keep the value from the capture";
    Note = cue::Changes;
    break;
  case Variation::Setter:
    Result.Sentence =
        Where + " is computed from a value that " + Other +
        " sets while the graph exists; replays keep the value from the capture";
    Note = cue::Set;
    break;
  case Variation::Changed:
    Result.Sentence =
        Where + " is computed from " +
        (Value->Name.empty()
             ? "a value that differs"
             : "'" + Value->Name + "', which has a different value") +
        " when the graph is launched; the replay keeps the value from the "
        "capture";
    Note = cue::Changes;
    break;
  case Variation::Passed:
  case Variation::Parameter:
    Result.Sentence = Where + " is computed from parameter '" + Value->Name +
                      "' of " + Other +
                      ", whose later calls launch the graph of an earlier "
                      "call, with the size of that call";
    Note = "nothing compares '" + Value->Name + "' with the value at capture";
    break;
  }
  C.pointAt(Result, *Value, Note);
  C.advise(Result, F,
           "launch for the largest size, and let the kernel read the actual "
           "size from device memory, or capture one graph for each size");
  return Result;
}

} // namespace cudagraph
