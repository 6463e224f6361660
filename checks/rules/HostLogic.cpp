//===- HostLogic.cpp - cudagraph-host-logic -------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host work in a region happens once, when the graph is created, and never
// again on replay. CUDA cannot detect this, so nothing is refused; the result
// is stale. Error paths are excluded, because failure reports are intentional.
//
//===----------------------------------------------------------------------===//

#include "Rule.h"
#include "analysis/lower/ProjectCode.h"
#include "catalogue/Cues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace cudagraph {

using catalogue::Effect;

static const char *whatReplayDoes(const catalogue::Entry &Api) {
  switch (Api.Does) {
  case Effect::HostIO:
    return "the input or output happens once, at capture, and not on replay";
  case Effect::HostClock:
    return "replays keep the time from the capture";
  case Effect::HostRandom:
    return "replays use the number drawn at capture";
  case Effect::HostEnvironment:
    return "replays keep the value of the environment at capture";
  case Effect::HostLock:
    if (Api.has(catalogue::Trait::Awaits))
      return "the wait happens once, at capture, and not on replay";
    return "the lock is held at capture and does not protect replays";
  case Effect::HostSleep:
    return "the wait happens once, at capture, and not on replay";
  case Effect::HostThread:
    return "the thread is used once, at capture, and not on replay";
  case Effect::HostMutate:
    return "the change happens once, at capture, and not on replay";
  default:
    return nullptr;
  }
}

static const char *adviceFor(const catalogue::Entry &Api) {
  switch (Api.Does) {
  case Effect::HostIO:
  case Effect::HostMutate:
  case Effect::HostSleep:
    return "move it out of the capture, or enqueue it with cudaLaunchHostFunc "
           "if it must repeat";
  case Effect::HostRandom:
    return "draw the number on the device, with a generator whose state the "
           "graph advances";
  case Effect::HostLock:
    return Api.has(catalogue::Trait::Awaits)
               ? "wait before the capture, or before each launch of the graph"
               : "take the lock around the launches of the graph";
  default:
    return "move it out of the capture";
  }
}

/// True if the name of the file or of one of its folders indicates tests or
/// benchmarks. Their output and counters describe the run, not the work.
static bool isTestCode(llvm::StringRef File) {
  static constexpr llvm::StringLiteral Words[] = {
      "test",    "tests",     "testing",    "unittest", "unittests", "bench",
      "benches", "benchmark", "benchmarks", "perftest", "perftests"};
  auto IsWord = [&](llvm::StringRef Part) {
    return llvm::any_of(Words, [&](llvm::StringRef Word) {
      return Part.equals_insensitive(Word);
    });
  };
  // Check the folders inside the project and the words of the file name.
  File.consume_front(ProjectCode::rootOf(File));
  while (!File.empty()) {
    llvm::StringRef Part = File.take_until(
        [](char C) { return C == '/' || C == '_' || C == '-' || C == '.'; });
    if (IsWord(Part))
      return true;
    File = File.drop_front(std::min(File.size(), Part.size() + 1));
  }
  return false;
}

std::optional<Finding> checkHostLogic(const Fact &F, const RuleContext &C) {
  const char Check[] = "cudagraph-host-logic";
  std::string During = " during the capture of " + C.captureText(F).text();
  if (C.capture(F).Root == RootKind::Function)
    During = " in captured code";
  if (F.Kind == FactKind::ApiCall && F.Api) {
    const char *Replay = whatReplayDoes(*F.Api);
    if (!Replay)
      return std::nullopt;
    Finding Result = C.start(F, Check);
    Result.Outcome.Kind = OutcomeKind::Stale;
    if (!F.Api->Sources.empty())
      Result.Outcome.Evidence =
          F.Api->Sources.front().Kind + ": " + F.Api->Sources.front().Source;
    Result.Sentence =
        "'" + F.Callee + "' " + F.Api->Action + During + "; " + Replay;
    C.advise(Result, F, adviceFor(*F.Api));
    Result.Advice |=
        (F.Api->Does == Effect::HostIO || F.Api->Does == Effect::HostMutate) &&
        isTestCode(Result.Loc.File);
    // Far from the region, a clock serves internal bookkeeping. If its value
    // affects captured work, a separate finding reports that.
    if (F.Api->Does == Effect::HostClock && F.Chain.size() > 2)
      Result.Sure = std::min(Result.Sure, levelOf(Evidence::FarFromRegion));
    // A statement such as a << b << c is reported once.
    if (llvm::StringRef(F.Callee).ends_with("operator<<"))
      Result.Callee = "std::operator<<";
    return Result;
  }
  if (const auto *Change = F.as<FactKind::HostWrite>()) {
    Finding Result = C.start(F, Check);
    Result.Outcome.Kind = OutcomeKind::Stale;
    Result.Callee.clear();
    Result.Sentence =
        "'" + Change->Variable + "' changes" + During +
        "; the change happens once, at capture, and not on replay";
    Result.Advice |= isTestCode(Result.Loc.File);
    C.advise(Result, F,
             "update it where the graph is launched, or keep it in device "
             "memory");
    return Result;
  }
  if (const auto *Value = F.as<FactKind::HostBranch>()) {
    Finding Result = C.start(F, Check);
    Result.Outcome.Kind = OutcomeKind::Stale;
    Result.Callee.clear();
    std::string Note = cue::Read;
    bool Chosen = Value->Part == "function" || Value->Part == "kernel";
    std::string What = !Chosen ? "the branch depends on"
                       : Value->Part == "kernel"
                           ? "the launched kernel depends on"
                           : "the called function depends on";
    std::string Text = What + " ";
    switch (Value->Why) {
    case Variation::DeviceRead:
      Text += "a value read back from the device" + During;
      break;
    case Variation::HostState:
      Text += "host state that changes between replays" + During;
      Note = cue::Changes;
      break;
    case Variation::Setter:
      // The message must state that this also happens outside the capture.
      Text = C.called(Value->In) + " sets a value that " + What +
             ", while the graph exists";
      Note = cue::Set;
      break;
    case Variation::Changed:
      Text += "'" + Value->Name +
              "', which has a different value when the graph is launched";
      Note = cue::Changes;
      break;
    case Variation::Parameter:
      Text += "parameter '" + Value->Name + "' of " + C.called(Value->In) +
              ", whose later calls launch the graph of an earlier call";
      Note.clear();
      break;
    default:
      Text += "a value that differs from call to call" + During;
      break;
    }
    Result.Sentence =
        Text + (Chosen ? "; replays repeat the choice made at capture"
                       : "; replays repeat the branch taken at capture");
    C.pointAt(Result, *Value, Note);
    C.advise(Result, F,
             "make the decision on the device with a conditional node, or "
             "outside the capture");
    return Result;
  }
  return std::nullopt;
}

} // namespace cudagraph
