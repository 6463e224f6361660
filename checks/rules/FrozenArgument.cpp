//===- FrozenArgument.cpp - cudagraph-frozen-argument ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel node retains its arguments from the capture, and a BLAS call retains
// the scalars that it read from the host. Retaining loop counters and
// configuration is intentional; only values that change during the lifetime of
// the graph are reported.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"
#include "catalogue/Cues.h"
#include "llvm/ADT/StringRef.h"

namespace cudagraph {

/// "argument 'lr_' of kernel 'step'".
static std::string argumentOf(const Fact &F, const VaryingValue &Value) {
  std::string Name = Value.Argument.value_or("");
  std::string Callee = "'" + F.Callee + "'";
  if (!F.Api || F.Api->Name == "<<<>>>")
    Callee = "kernel " + Callee;
  if (Value.Use.As == RetainedAs::Scalar)
    return "the scalar '" + Name + "', which " + Callee +
           " reads from the host at capture,";
  return std::string(Value.Use.IsPointer ? "the address '" : "argument '") +
         Name + "' of " + Callee;
}

/// The graph of the executable graph has changed.
static Finding outdated(const Fact &F, const LaterLaunch &Launch,
                        const RuleContext &C) {
  Finding Result = C.start(F, "cudagraph-frozen-argument");
  Result.Outcome.Kind = OutcomeKind::Stale;
  Result.Sentence = "'" + F.Callee +
                    "' changes a node of a graph after the graph is "
                    "instantiated; CUDA returns success, but launches of the "
                    "executable graph use the old parameters";
  VaryingValue At;
  At.Launch = Launch.Where;
  At.LaunchIn = Launch.In;
  C.pointAt(Result, At, "");
  C.advise(Result, F, F.Api->Advice);
  return Result;
}

std::optional<Finding> checkFrozenArgument(const Fact &F,
                                           const RuleContext &C) {
  if (const auto *Launch = F.as<FactKind::Outdated>())
    return outdated(F, *Launch, C);
  const auto *Value = F.as<FactKind::VaryingUse>();
  if (!Value || Value->Why == Variation::Random || Value->Seeds)
    return std::nullopt;
  RetainedAs As = Value->Use.As;
  if (As == RetainedAs::Size || As == RetainedAs::Config ||
      As == RetainedAs::Branch)
    return std::nullopt;
  Finding Result = C.start(F, "cudagraph-frozen-argument");
  Result.Outcome.Kind = OutcomeKind::Stale;
  std::string Other = C.called(Value->In);
  std::string Subject = argumentOf(F, *Value), Why, Note;
  switch (Value->Why) {
  case Variation::DeviceRead:
    Why = " is a value read back from the device; every replay will use the "
          "value from the capture";
    Note = cue::Read;
    break;
  case Variation::Clock:
  case Variation::Random:
    Why = " differs from call to call; every replay will use the value from "
          "the capture";
    Note = cue::Read;
    break;
  case Variation::HostState:
    Why = " is computed from host state that changes between replays; replays "
          "will use "
          "the value from the capture";
    Note = cue::Changes;
    break;
  case Variation::Setter:
    Why = " is set by " + Other +
          " while the graph exists; every replay will use the value from the "
          "capture";
    Note = cue::Set;
    break;
  case Variation::Changed:
    Why = " has a different value when the graph is launched; the replay will "
          "use the value from the capture";
    Note = cue::Changes;
    break;
  case Variation::Passed:
    Why = " comes from parameter '" + Value->Name + "' of " + Other +
          "; replays use the value from the captured call";
    break;
  case Variation::Parameter:
    Why = " comes from parameter '" + Value->Name + "' of " + Other +
          ", whose later calls launch the graph of an earlier call, with the "
          "value of that call";
    Note = "later calls pass a different '" + Value->Name + "'";
    break;
  }
  Result.Sentence = Subject + Why;
  C.pointAt(Result, *Value, Note);
  C.advise(
      Result, F,
      As == RetainedAs::Scalar
          ? "keep the scalar in device memory (CUBLAS_POINTER_MODE_DEVICE) "
            "and update it before each launch"
      : Value->Use.IsPointer
          ? "copy into a buffer whose address does not change, or set the "
            "address "
            "with cudaGraphExecKernelNodeSetParams before the launch"
      : Value->Why == Variation::Parameter
          ? "keep it in device memory and update it before each launch, or use "
            "it to select the graph to launch"
          : "keep it in device memory and update it before each launch, "
            "or set it with cudaGraphExecKernelNodeSetParams");
  return Result;
}

} // namespace cudagraph
