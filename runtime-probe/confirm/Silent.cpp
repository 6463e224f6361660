//===- Silent.cpp - The result for what no call reports -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Silent.h"
#include "Names.h"
#include "catalogue/Catalogue.h"
#include "catalogue/Cues.h"
#include <algorithm>

namespace cudagraph::confirm {
namespace {

std::string counted(size_t Count, const char *Noun) {
  return std::to_string(Count) + " " + Noun +
         (Count == 1                              ? ""
          : std::string_view(Noun).ends_with("h") ? "es"
                                                  : "s");
}

std::string spelled(const std::string &File, unsigned Line) {
  return File + ":" + std::to_string(Line);
}

const Note *noteOf(const StaticFinding &F,
                   std::initializer_list<std::string_view> Cues) {
  for (const Note &N : F.Notes)
    if (N.At.Line &&
        std::find(Cues.begin(), Cues.end(), N.Message) != Cues.end())
      return &N;
  return nullptr;
}

/// Work of the host at the finding itself that a replay does not repeat.
bool isHostEffect(const StaticFinding &F) {
  if (F.Check != "cudagraph-host-logic")
    return false;
  if (F.Callee.empty())
    return !noteOf(F, {cue::Changes, cue::Set, cue::Read});
  const catalogue::Entry *E = catalogue::Catalogue::builtin().lookup(F.Callee);
  return !E || catalogue::isHostEffect(E->Does);
}

} // namespace

bool isHostLogic(const StaticFinding &F) {
  return F.Check == "cudagraph-host-logic" ||
         (F.Outcome.Kind == "stale" && F.Callee.empty());
}

bool isSilent(const StaticFinding &F) {
  // An ignored result concerns the capture, not its replays.
  return F.Check != "cudagraph-ignored-result" &&
         (F.Outcome.Kind == "stale" || F.Outcome.Kind == "dangling");
}

std::vector<Position> linesOf(const StaticFinding &F) {
  std::vector<Position> Result;
  if (!isSilent(F))
    return Result;
  for (const Note &N : F.Notes)
    for (std::string_view Cue : {cue::Changes, cue::Set, cue::Read, cue::Drawn,
                                 cue::Freed, cue::Replaced})
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
    // Calls of one region are launched together.
    Launches = isHostLogic(F) ? std::max(Launches, R->Launches)
                              : Launches + R->Launches;
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

/// True if the nodes are known to use memory, and only of these kinds.
bool SilentVerdict::isMemory(std::initializer_list<const char *> Kinds) const {
  bool Any = false;
  for (const Recorded *R : Calls)
    for (const std::string &Kind : R->Memory) {
      Any = true;
      if (std::find(Kinds.begin(), Kinds.end(), Kind) == Kinds.end())
        return false;
    }
  return Any;
}

/// True if a node is known to use memory that CUDA does not manage.
bool SilentVerdict::ofHost() const {
  return std::any_of(Calls.begin(), Calls.end(), [](const Recorded *R) {
    return std::any_of(R->Memory.begin(), R->Memory.end(),
                       [](const std::string &Kind) {
                         return Kind == "stack" || Kind == "heap" ||
                                Kind == "static" || Kind == "host";
                       });
  });
}

/// The number of captures of the region in which the line ran.
unsigned SilentVerdict::ranInCapture(const WatchedLine &L) const {
  return unsigned(
      std::count_if(L.During.begin(), L.During.end(),
                    [&](unsigned Id) { return Captures.count(Id); }));
}

bool SilentVerdict::hasReturned(const std::string &Function) const {
  return std::any_of(Calls.begin(), Calls.end(), [&](const Recorded *R) {
    return std::any_of(
        R->Returned.begin(), R->Returned.end(),
        [&](const std::string &Name) { return namesAgree(Name, Function); });
  });
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

void SilentVerdict::dangling(Confirmation &C) const {
  const Note *Freed = noteOf(F, {cue::Freed, cue::Replaced});
  const Note *Scope = noteOf(F, {cue::Scope});
  bool OfCuda = isMemory({"device", "managed", "pinned", "array"});
  for (const Recorded *R : Calls)
    for (const Ending &E : R->Endings)
      if (E.Launches) {
        std::string At =
            E.At && E.At->Line ? " at " + spelled(E.At->File, E.At->Line) : "";
        C.Stack = R->Call.Stack;
        return set(C, Status::Confirmed,
                   (E.How == "returned"
                        ? "the function whose stack holds its memory returned"
                    : E.How == "unmapped"
                        ? "its memory was unmapped"
                        : "'" + E.How + "' freed its memory" + At) +
                       ", and " + counted(E.Launches, "launch") + " followed");
      }
  if (!Launches)
    return notLaunched(C);
  // CUDA reports the end of memory that it manages; the line shows the end
  // of other memory.
  for (const WatchedLine *L : Lines)
    if (unsigned After = launchesAfter(*L); After && ofHost())
      return set(C, Status::Confirmed,
                 spelled(L->At.File, L->At.Line) + " ran, and " +
                     counted(After, "launch") + " followed");
  // A temporary ends with its function at the latest.
  bool Temporary = F.Message.find(cue::Temporary) != std::string::npos;
  const std::string &Owner = Scope ? Scope->Function : F.Function;
  if ((Scope || Temporary) && ofHost() && hasReturned(Owner))
    return set(C, Status::Confirmed,
               "'" + baseName(Owner) +
                   "' had returned when the graph was launched");
  bool Complete = !Seen.Unwatched && !Seen.Detached && !Seen.CapturesOnly;
  bool LinesKnown = !Lines.empty() && Lines.size() >= linesOf(F).size() &&
                    std::all_of(Lines.begin(), Lines.end(), [](const auto *L) {
                      return L->Problem.empty();
                    });
  bool Ran = std::any_of(Lines.begin(), Lines.end(),
                         [&](const auto *L) { return launchesAfter(*L) != 0; });
  bool EndedLater = std::any_of(Calls.begin(), Calls.end(), [](const auto *R) {
    return !R->Endings.empty();
  });
  if (Complete && OfCuda && EndedLater)
    return set(C, Status::Refuted,
               "its memory was freed after the last of " +
                   counted(Launches, "launch"));
  if (Complete && (Freed || !Scope) && LinesKnown && !Ran)
    return set(C, Status::Refuted,
               spelled(Lines.front()->At.File, Lines.front()->At.Line) +
                   " did not run before any of " + counted(Launches, "launch"));
  if (Complete && isMemory({"stack"}) &&
      std::none_of(Calls.begin(), Calls.end(),
                   [](const auto *R) { return R->OtherThread; }))
    return set(
        C, Status::Refuted,
        "the function whose stack holds its memory was active at each of " +
            counted(Launches, "launch"));
  set(C, Status::NotWatched,
      counted(Launches, "launch") + " observed, but " +
          whyNot(OfCuda ? "not whether its memory, which was not freed, went "
                          "back to a pool"
                 : ofHost() ? "not when the lifetime of its memory ends: CUDA "
                              "does not manage it"
                            : "not which memory it uses"));
}

/// Work of the host in the capture, at the finding itself.
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
          Text + ", and no launch of the graph was observed");
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
  bool Complete = !Seen.Unwatched && !Seen.Detached && !Seen.CapturesOnly;
  for (const WatchedLine *L : Lines)
    if (unsigned After = launchesAfter(*L))
      return set(C, Status::Confirmed,
                 spelled(L->At.File, L->At.Line) +
                     " ran after the capture, and " + counted(After, "launch") +
                     " followed with the captured value");
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
  bool Known = !Lines.empty() &&
               std::all_of(Lines.begin(), Lines.end(),
                           [](const auto *L) { return L->Problem.empty(); });
  bool Writes = noteOf(F, {cue::Changes, cue::Set});
  bool Ran = std::any_of(Lines.begin(), Lines.end(),
                         [](const auto *L) { return L->Times; });
  bool Sets = std::any_of(Calls.begin(), Calls.end(),
                          [](const auto *R) { return R->Sets; });
  if (Complete && Known && Writes && Ran && Sets)
    return set(C, Status::Refuted,
               "its parameters were set again before each launch that followed "
               "a change");
  for (const WatchedLine *L : Lines)
    if (ranAfterAll(*L))
      return set(C, Status::NotReproduced,
                 spelled(L->At.File, L->At.Line) + " ran after the last of " +
                     counted(Launches, "launch") +
                     ", so no replay used an old value");
  if (Complete && Known && Writes)
    return set(C, Status::Refuted,
               spelled(Lines.front()->At.File, Lines.front()->At.Line) +
                   " did not run between the capture and any of " +
                   counted(Launches, "launch"));
  std::string Subject =
      noteOf(F, {cue::Read})
          ? "not whether the value would be different: it was not read again"
          : "not the value: the finding names no line that changes it, and it "
            "was captured once or without a difference";
  if (isHostLogic(F) && Lines.empty())
    Subject = "not the decision: host decisions are not visible to the probe";
  set(C, Status::NotWatched,
      counted(Launches, "launch") + " observed, but " + whyNot(Subject));
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
  if (F.Outcome.Kind == "dangling")
    dangling(C);
  else
    stale(C);
  return C;
}

} // namespace cudagraph::confirm
