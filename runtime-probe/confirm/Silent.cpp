//===- Silent.cpp - Results that no call reports --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Silent.h"
#include "Names.h"
#include "Wording.h"
#include "catalogue/Catalogue.h"
#include "catalogue/Cues.h"
#include "format/Report.h"
#include <algorithm>

namespace cudagraph::confirm {
namespace {

/// True if the finding itself is about host work that a replay does not repeat.
bool isHostEffect(const StaticFinding &F) {
  if (F.Check != "cudagraph-host-logic")
    return false;
  if (F.Callee.empty())
    return !noteOf(F, {cue::Changes, cue::Set, cue::Read});
  const catalogue::Entry *E = catalogue::Catalogue::builtin().lookup(F.Callee);
  return !E || catalogue::isHostEffect(E->Does);
}

} // namespace

void StaticFinding::addStep(Note Step) {
  if (cue::isCue(Step.Message))
    Notes.push_back(std::move(Step));
  else
    Chain.push_back({std::move(Step.At), std::move(Step.Function)});
}

bool isHostLogic(const StaticFinding &F) {
  return F.Check == "cudagraph-host-logic" ||
         (F.Outcome.Kind == "stale" && F.Callee.empty());
}

bool isAtLaunch(const StaticFinding &F) {
  return F.Outcome.Kind == "error" &&
         F.Message.find(cue::SecondLaunch) != std::string::npos;
}

bool isSilent(const StaticFinding &F) {
  if (isAtLaunch(F))
    return true;
  // An ignored result concerns the capture, not its replays.
  return F.Check != "cudagraph-ignored-result" &&
         (F.Outcome.Kind == "stale" || F.Outcome.Kind == "dangling");
}

bool leavesCapture(const StaticFinding &F) {
  return F.Message.find(cue::LaterWaits) != std::string::npos;
}

std::vector<Position> linesOf(const StaticFinding &F) {
  std::vector<Position> Result;
  if (leavesCapture(F)) {
    const Note *Thrown = noteOf(F, {cue::Thrown});
    Result.push_back(Thrown ? Thrown->At : F.At);
  }
  if (!isSilent(F))
    return Result;
  for (const Note &N : F.Notes)
    for (std::string_view Cue :
         {cue::Changes, cue::Set, cue::Read, cue::Drawn, cue::Freed,
          cue::Replaced, cue::Recycled, cue::Moved})
      if (N.At.Line && N.Message == Cue)
        Result.push_back(N.At);
  if (isHostEffect(F) || F.Check == "cudagraph-growing-workspace")
    Result.push_back(F.At);
  return Result;
}

std::vector<Position> watchLines(const StaticResult &Findings) {
  std::vector<Position> Result;
  for (const StaticFinding &F : Findings.Findings)
    for (const Position &At : linesOf(F))
      if (std::none_of(Result.begin(), Result.end(), [&](const Position &P) {
            return P.File == At.File && P.Line == At.Line;
          }))
        Result.push_back(At);
  return Result;
}

SilentVerdict::SilentVerdict(const StaticFinding &F, const Run &Seen,
                             const std::vector<const Recorded *> &Calls,
                             const std::set<unsigned> &Captures)
    : F(F), Seen(Seen), Calls(Calls), Captures(Captures) {
  for (const Position &At : linesOf(F))
    for (const WatchedLine &L : Seen.Lines)
      if (L.At.File == At.File && L.At.Line == At.Line)
        Lines.push_back(&L);
  for (const Recorded *R : Calls) {
    In.insert(R->Captures.begin(), R->Captures.end());
    // Calls in one region are launched together.
    Launches = isHostLogic(F) ? std::max(Launches, R->Launches)
                              : Launches + R->Launches;
    Relaunches += R->Relaunches;
  }
}

void SilentVerdict::set(Confirmation &C, Status Is,
                        const std::string &Text) const {
  C.Is = Is;
  C.Note = (Is == Status::Confirmed ? "confirmed by a run" : inWords(Is)) +
           ": " + Text;
}

unsigned SilentVerdict::launchesAfter(const WatchedLine &L) const {
  size_t Index = size_t(&L - Seen.Lines.data());
  unsigned Count = 0;
  for (const Recorded *R : Calls)
    for (const auto &[Line, After] : R->Ran)
      if (Line == Index)
        Count = isHostLogic(F) ? std::max(Count, After) : Count + After;
  return Count;
}

/// True if the line ran after the last launch of a graph with the nodes.
bool SilentVerdict::ranAfterAll(const WatchedLine &L) const {
  size_t Index = size_t(&L - Seen.Lines.data());
  return std::any_of(Calls.begin(), Calls.end(), [&](const Recorded *R) {
    return std::any_of(R->Ran.begin(), R->Ran.end(), [&](const auto &Ran) {
      return Ran.first == Index && !Ran.second;
    });
  });
}

/// The number of captures of the region in which the line ran.
unsigned SilentVerdict::ranInCapture(const WatchedLine &L) const {
  return unsigned(
      std::count_if(L.During.begin(), L.During.end(),
                    [&](unsigned Id) { return Captures.count(Id); }));
}

/// Whether the captures of the region in which the line ran were broken.
bool SilentVerdict::isBroken(const WatchedLine &L) const {
  return std::none_of(Seen.Captures.begin(), Seen.Captures.end(),
                      [&](const Capture &C) {
                        return C.HasGraph && Captures.count(C.Id) &&
                               std::find(L.During.begin(), L.During.end(),
                                         C.Id) != L.During.end();
                      });
}

/// The reason why the captured value does not depend on whether the line ran
/// after the capture; empty if it does. A constructor sets the value of a new
/// object. A function that captures and returns before the launches
/// computes a value for its next capture.
std::string SilentVerdict::ownValue(const WatchedLine &L) const {
  auto IsAgain = [&](const std::string &Function) {
    return std::any_of(Calls.begin(), Calls.end(), [&](const Recorded *R) {
      return std::any_of(
          R->Again.begin(), R->Again.end(),
          [&](const std::string &Each) { return namesAgree(Each, Function); });
    });
  };
  for (const Note &N : F.Notes) {
    if (N.At.File != L.At.File || N.At.Line != L.At.Line)
      continue;
    std::vector<std::string> Name = componentsOf(N.Function);
    if (Name.size() > 1 && Name.back() == Name[Name.size() - 2])
      return "belongs to a constructor, which may have created another object";
    if (hasReturned(N.Function) && !IsAgain(N.Function))
      return "belongs to '" + Name.back() +
             "', which had returned before the launches: it sets the value of "
             "its next capture";
  }
  return "";
}

bool SilentVerdict::complete() const {
  return !Seen.Unwatched && !Seen.Detached && !Seen.CapturesOnly;
}

bool SilentVerdict::sets() const {
  return std::any_of(Calls.begin(), Calls.end(),
                     [](const auto *R) { return R->Sets; });
}

std::string SilentVerdict::whyNot(const std::string &Subject) const {
  if (Seen.CapturesOnly)
    return "the run observed captures only (--captures-only)";
  if (Seen.Detached)
    return "the probe detached from the program after some captures "
           "(--captures)";
  for (const WatchedLine *L : Lines)
    if (!L->Problem.empty())
      return "the run could not watch " + spelled(L->At.File, L->At.Line) +
             ": " + L->Problem;
  if (Seen.Unwatched)
    return "the run did not observe all launches (--replays)";
  if (!linesOf(F).empty() && Lines.empty())
    return "the run did not watch " +
           spelled(linesOf(F).front().File, linesOf(F).front().Line) +
           "; 'cudagraph-probe confirm' does";
  return Subject;
}

void SilentVerdict::notLaunched(Confirmation &C) const {
  if (Seen.CapturesOnly || Seen.Detached || Seen.Unwatched)
    return set(C, Status::NotWatched, whyNot(""));
  set(C, Status::NotReproduced,
      "recorded in " + counted(C.Captures, "capture") +
          ", and no launch of a graph with it was observed");
}

/// Sets the result for host work in the capture, at the finding itself.
bool SilentVerdict::inCapture(Confirmation &C) const {
  if (!isHostEffect(F))
    return false;
  for (const WatchedLine *L : Lines) {
    unsigned During = ranInCapture(*L);
    if (!During)
      continue;
    C.Captures = During;
    std::string Text = "it ran in " + counted(During, "capture");
    if (Launches)
      set(C, Status::Confirmed,
          Text + ", and " + counted(Launches, "launch") + " did not repeat it");
    else if (Seen.CapturesOnly || Seen.Detached || Seen.Unwatched)
      set(C, Status::NotWatched, Text + ", but " + whyNot(""));
    else
      set(C, Status::NotReproduced,
          Text + (isBroken(*L) ? ", which resulted in no graph"
                               : ", and no launch of the graph was observed"));
    return true;
  }
  // The line is watched, and did not run in a capture.
  if (Lines.empty() || !std::all_of(Lines.begin(), Lines.end(),
                                    [](auto *L) { return L->Problem.empty(); }))
    return false;
  C = Confirmation();
  return true;
}

void SilentVerdict::stale(Confirmation &C) const {
  if (inCapture(C))
    return;
  if (!Launches)
    return notLaunched(C);
  if (F.Check == "cudagraph-stream-dependency")
    return unordered(C);
  std::string Own;
  for (const WatchedLine *L : Lines)
    if (std::string Why = ownValue(*L); !Why.empty())
      Own = spelled(L->At.File, L->At.Line) + " " + Why;
  for (const WatchedLine *L : Lines)
    if (unsigned After = launchesAfter(*L); After && ownValue(*L).empty())
      return set(
          C, Status::Confirmed,
          spelled(L->At.File, L->At.Line) + " ran after the capture, and " +
              counted(After, "later launch") + " used the captured value");
  // State that captured code itself changes.
  for (const WatchedLine *L : Lines)
    if (unsigned During = ranInCapture(*L); During && noteOf(F, {cue::Changes}))
      return set(C, Status::Confirmed,
                 spelled(L->At.File, L->At.Line) + " ran in " +
                     counted(During, "capture") + ", and " +
                     counted(Launches, "launch") + " did not repeat it");
  if (noteOf(F, {cue::Drawn}) && Launches > 1)
    return set(C, Status::Confirmed,
               counted(Launches, "launch") +
                   " used the number from the capture");
  if (F.Check == "cudagraph-random-state" && Relaunches && !sets())
    return set(C, Status::Confirmed,
               counted(Relaunches + 1, "launch") +
                   " used the arguments from the capture");
  bool Known = !Lines.empty() &&
               std::all_of(Lines.begin(), Lines.end(),
                           [](const auto *L) { return L->Problem.empty(); });
  bool Writes = noteOf(F, {cue::Changes, cue::Set});
  bool Ran = std::any_of(Lines.begin(), Lines.end(),
                         [](const auto *L) { return L->Times; });
  if (complete() && Known && Writes && Ran && sets())
    return set(C, Status::Refuted,
               "its parameters were set again before each launch that followed "
               "a change");
  for (const WatchedLine *L : Lines)
    if (ranAfterAll(*L))
      return set(C, Status::NotReproduced,
                 spelled(L->At.File, L->At.Line) + " ran after the last of " +
                     counted(Launches, "launch") +
                     ", so no replay used an old value");
  // The object of a later capture may come from a pool, at a different address.
  bool Pool = F.Message.starts_with("the address ") && isMemory({"device"});
  if (complete() && Known && Writes && !Pool && Own.empty())
    return set(C, Status::Refuted,
               spelled(Lines.front()->At.File, Lines.front()->At.Line) +
                   " did not run between the capture and any of " +
                   counted(Launches, "launch"));
  std::string Subject =
      !Own.empty() ? Own
      : Pool ? "the run did not show whether its memory went back to a pool"
      : noteOf(F, {cue::Read}) ? "the run did not show whether the value would "
                                 "differ: it was not read again"
                               : "the run did not show the value: the finding "
                                 "names no line that changes it, and it "
                                 "was captured once or without a difference";
  if (isHostLogic(F) && Lines.empty())
    Subject = "host decisions are not visible to the probe";
  set(C, Status::NotWatched,
      counted(Launches, "launch") + " observed, but " + whyNot(Subject));
}

/// CUDA refuses the second launch of a graph whose memory is never freed.
void SilentVerdict::atLaunch(Confirmation &C) const {
  for (const Recorded *R : Calls)
    for (const Refusal &L : R->Refused)
      if (L.Code == F.Outcome.Code) {
        C.Code = L.Code;
        C.CodeName = probe::errorName(L.Code);
        C.Stack = L.Stack;
        C.Recorded = R->Call.Stack;
        return set(C, Status::Confirmed,
                   "a launch" + atPlace(L.At) + " returned " +
                       std::to_string(L.Code) + " after " +
                       counted(R->Launches, "launch") + " that succeeded");
      }
  if (!Launches)
    return notLaunched(C);
  if (!complete())
    return set(C, Status::NotWatched,
               counted(Launches, "launch") + " observed, but " + whyNot(""));
  if (!Relaunches)
    return set(C, Status::NotReproduced, "no graph with it was launched twice");
  set(C, Status::Refuted,
      counted(Relaunches, "launch") + " after the first succeeded");
}

/// Work on another stream that the nodes do not wait for.
void SilentVerdict::unordered(Confirmation &C) const {
  const Unordered *Other = nullptr;
  for (const Recorded *R : Calls)
    for (const Unordered &U : R->Others)
      if (U.Launches &&
          (!Other || F.Message.find(baseName(U.Function)) != std::string::npos))
        Other = &U;
  if (Other)
    return set(C, Status::Confirmed,
               "the graph has no path between it and the " + Other->Type +
                   (Other->Function.empty()
                        ? " node"
                        : " '" + baseName(Other->Function) + "'") +
                   atPlace(Other->At) + ", which uses the same memory, in " +
                   counted(Other->Launches, "launch"));
  if (complete() && std::all_of(Calls.begin(), Calls.end(),
                                [](const auto *R) { return R->Ordered; }))
    return set(C, Status::Refuted,
               "the graph orders all nodes that use its memory, in " +
                   counted(Launches, "launch"));
  set(C, Status::NotWatched,
      counted(Launches, "launch") + " observed, but " +
          whyNot("the run did not show the memory of all nodes that may run at "
                 "the same time"));
}

Confirmation SilentVerdict::decide() const {
  Confirmation C;
  // A report may contain no calls.
  bool Host = isHostLogic(F) && !Captures.empty() && !Seen.Calls.empty();
  if (Calls.empty() && !Host)
    return C;
  C.Captures = unsigned(Host ? Captures.size() : In.size());
  if (!Host)
    C.Stack = Calls.front()->Call.Stack;
  if (isAtLaunch(F))
    atLaunch(C);
  else if (F.Outcome.Kind == "dangling")
    dangling(C);
  else
    stale(C);
  return C;
}

} // namespace cudagraph::confirm
