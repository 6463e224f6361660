//===- Verdict.cpp - The result of the run for one finding ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Joiner.h"
#include "Names.h"
#include "format/Report.h"
#include <algorithm>

namespace cudagraph::confirm {
namespace {

bool contains(const std::vector<std::string> &All, std::string_view One) {
  return std::find(All.begin(), All.end(), One) != All.end();
}

std::string counted(size_t Count, const char *Noun) {
  return std::to_string(Count) + " " + Noun + (Count == 1 ? "" : "s");
}

std::string predicted(const Prediction &P, const std::set<int> &Codes) {
  std::string Result;
  for (int Code : Codes)
    Result += (Result.empty() ? "" : " or ") + std::to_string(Code);
  if (!Result.empty())
    return Result;
  if (P.Kind == "escapes")
    return "the work escapes";
  return P.Kind == "dangling" ? "replays use freed memory"
                              : "replays use values from the capture";
}

/// ": 'cudaFree' at engine.cu:14".
std::string placeOf(const Event &E) {
  std::string Text = E.Api.empty() ? "" : ": '" + E.Api + "'";
  if (!Text.empty() && E.At && E.At->Line)
    Text += " at " + E.At->File + ":" + std::to_string(E.At->Line);
  return Text;
}

/// How the pageable memory of a copy was released, from the message about it.
std::string lifetimeOf(const Event &E) {
  auto Says = [&](const char *Part) {
    return E.Message.find(Part) != std::string::npos;
  };
  if (Says("frees it in the capture"))
    return "its memory was freed in the capture";
  if (Says("belongs to a function that has returned"))
    return "the function whose stack holds its memory had returned before a "
           "launch" +
           placeOf(E);
  if (Says("its function has returned"))
    return "the function whose stack holds its memory had returned when the "
           "capture ended";
  if (Says("is unmapped"))
    return "its memory was unmapped before a launch" + placeOf(E);
  return E.Api + " copied pageable memory";
}

} // namespace

/// Returns the predicted codes; only those for the modes of the captures, if
/// the modes are known.
std::set<int> Joiner::codes(const StaticFinding &F, const Event &E) const {
  const Prediction &P = F.Outcome;
  std::set<int> Result(P.OtherCodes.begin(), P.OtherCodes.end());
  if (P.Code)
    Result.insert(*P.Code);
  if (P.ByMode) {
    static constexpr const char *Modes[] = {"global", "thread_local",
                                            "relaxed"};
    std::set<int> InMode;
    for (unsigned Id : E.Captures)
      if (auto It = Captures.find(Id); It != Captures.end())
        for (size_t I = 0; I < std::size(Modes); ++I)
          if (It->second->Mode == Modes[I])
            InMode.insert((*P.ByMode)[I]);
    Result.insert(InMode.begin(), InMode.end());
  }
  Result.erase(0);
  return Result;
}

bool Joiner::fits(const StaticFinding &F, const Event &E) const {
  std::vector<std::string> Kinds = F.Outcome.OtherKinds;
  Kinds.push_back(F.Outcome.Kind);
  auto Has = [&](std::string_view Kind) { return contains(Kinds, Kind); };
  bool Lasting = Has("stale") || Has("dangling");
  if (Has("unknown"))
    return true;
  if (E.Kind == probe::kind::Refused || E.Kind == probe::kind::Survived)
    return codes(F, E).contains(E.Code) ||
           (E.Kind == probe::kind::Survived && Has("stale"));
  if (E.Kind == probe::kind::Escaped)
    return Has("escapes");
  if (E.Kind == probe::kind::FailedLaunch)
    return isAtLaunch(F) && codes(F, E).contains(E.Code);
  // A copy of pageable memory is wrong once the lifetime of the memory has
  // ended.
  if (E.Kind == probe::kind::PageableCopy || E.Kind == probe::kind::FreedMemory)
    return Lasting && !E.Remark;
  // Unordered work shows the missing dependency.
  if (E.Kind == probe::kind::Unordered || E.Kind == probe::kind::ReplayOrder)
    return Has("stale") && F.Check == "cudagraph-stream-dependency";
  return false;
}

/// Whether \p What, which differs between captures, is the subject of the
/// finding: a size, or else a value.
static bool isSubject(const StaticFinding &F, const std::string &What) {
  if (isHostLogic(F) || What == "topology")
    return true;
  bool Size = What == "grid" || What == "block" || What == "size" ||
              What == "shared memory";
  return Size == (F.Check == "cudagraph-dynamic-shape");
}

/// Whether captures of the finding's region differ in the value that it
/// concerns.
bool Joiner::showsFrozen(const StaticFinding &F, const Event &E) {
  if (E.Kind != probe::kind::Frozen || F.Outcome.Kind != "stale" ||
      !inRegion(E, F))
    return false;
  if (isHostLogic(F))
    return true;
  return std::any_of(E.Changes.begin(), E.Changes.end(), [&](const Change &C) {
    if (!C.Stack.empty()) {
      auto M = matchNode(F, {C.Type, C.Stack}, C.Function, Files);
      return M && isSubject(F, C.What);
    }
    return namesAgree(C.Function, F.Callee) ||
           (C.Type == "memcpy" &&
            F.Callee.find("Memcpy") != std::string::npos) ||
           (C.Type == "memset" && F.Callee.find("Memset") != std::string::npos);
  });
}

Confirmation Joiner::confirmed(const StaticFinding &F,
                               const std::vector<Candidate> &Candidates,
                               bool AsPredicted) const {
  const Candidate &First = Candidates.front();
  const Event &E = *First.E;
  // A finding about a node has the stack of the later event.
  bool AtNode = !E.Nodes.empty();
  std::set<unsigned> Ids;
  for (const Candidate &H : Candidates)
    if (H.E->Kind == E.Kind && H.E->Code == E.Code)
      Ids.insert(H.E->Captures.begin(), H.E->Captures.end());
  Confirmation C;
  C.Is = Status::Confirmed;
  if (E.Code)
    C.Code = E.Code, C.CodeName = E.Name;
  C.Captures = unsigned(Ids.size());
  C.Stack = E.Stack;
  if (First.Node)
    C.Recorded = First.Node->Stack;
  C.Note = "confirmed by a run: ";
  if (E.Kind == probe::kind::Escaped)
    C.Note += "the work of " + E.Api + " was not captured";
  else if (E.Kind == probe::kind::PageableCopy)
    C.Note += lifetimeOf(E);
  else if (E.Kind == probe::kind::Frozen && !E.Changes.empty())
    C.Note += "captures differ in " + E.Changes.front().What +
              (E.Changes.front().Function.empty()
                   ? ""
                   : " of '" + baseName(E.Changes.front().Function) + "'");
  else if (E.Kind == probe::kind::Frozen)
    C.Note += "captures at one location differ";
  else if (E.Kind == probe::kind::FreedMemory)
    C.Note += "the lifetime of its memory ended before a launch" + placeOf(E);
  else if (E.Kind == probe::kind::FailedLaunch)
    C.Note += "a launch returned " + std::to_string(E.Code) + placeOf(E);
  else if (E.Code)
    C.Note += E.Api + " returned " + std::to_string(E.Code);
  else
    C.Note += E.Message.empty() ? E.Kind : E.Message;
  if (C.Captures)
    C.Note += (E.Kind == probe::kind::Frozen ? ", of " : " in ") +
              counted(C.Captures, "capture");
  if (E.Kind == probe::kind::Escaped && !C.Captures)
    C.Note += " by the capture that was active";
  if (!AsPredicted)
    C.Note += "; predicted: " + predicted(F.Outcome, codes(F, E));
  if (First.At.LinesOff && !AtNode)
    C.Note += "; observed at line " +
              std::to_string(E.Stack[First.At.Frame].Line) +
              ": the source may have changed since";
  return C;
}

/// The call was observed, without the predicted outcome.
Confirmation Joiner::executed(const StaticFinding &F, const Found &All,
                              const std::vector<Candidate> &Others) const {
  Confirmation C;
  C.Is = Status::NotReproduced;
  C.Note = "not reproduced: ";
  const std::vector<Candidate> &Candidates = !All.Watched.empty() ? All.Watched
                                             : !All.Consequences.empty()
                                                 ? All.Consequences
                                                 : Others;
  const Event &E = *Candidates.front().E;
  std::set<unsigned> Ids;
  for (const Candidate &H : Candidates)
    Ids.insert(H.E->Captures.begin(), H.E->Captures.end());
  C.Captures = unsigned(Ids.size());
  if (!All.Watched.empty()) {
    C.Stack = E.Stack;
    if (E.Code)
      C.Code = E.Code;
    C.Note += E.Api + (E.Code ? " returned " + std::to_string(E.Code)
                              : std::string(" succeeded"));
    if (C.Captures)
      C.Note += " in " + counted(C.Captures, "capture");
  } else if (!All.Consequences.empty()) {
    C.Note += F.Callee + " came after " + E.Api +
              ", which had broken the "
              "capture";
    if (E.At && E.At->Line)
      C.Note += " at " + E.At->File + ":" + std::to_string(E.At->Line);
  } else {
    C.Stack = E.Stack;
    C.Note += E.Api + " was captured, and the run shows '" + E.Kind + "' there";
  }
  if (Candidates.front().At.LinesOff)
    C.Note += "; seen " + counted(Candidates.front().At.LinesOff, "line") +
              " off: the source may have changed since";
  return C;
}

Confirmation Joiner::absent(const StaticFinding &F) const {
  Confirmation C;
  size_t Times = capturesOf(F).size();
  std::string Captured =
      Times ? "its region was captured " + counted(Times, "time")
            : "its region was not captured";
  if (Seen.Captures.empty())
    Captured = "it began no capture";
  C.Note = "not executed in that run: " + Captured;
  std::vector<Position> Lines = linesOf(F);
  bool LineSeen =
      !Lines.empty() &&
      std::any_of(Seen.Lines.begin(), Seen.Lines.end(), [&](const auto &L) {
        return L.At.File == Lines.front().File &&
               L.At.Line == Lines.front().Line && L.Problem.empty();
      });
  if (isHostLogic(F) && !LineSeen) {
    if (Times) {
      C.Is = Status::NotWatched;
      C.Captures = unsigned(Times);
      C.Note = "not watched: " + Captured + " without a difference";
    }
    C.Note += "; host decisions are not visible to the probe";
  } else if (Times && !isHostLogic(F) && !Seen.Watching &&
             Seen.Watched.empty()) {
    C.Note += ", but successful calls were not observed";
  }
  return C;
}

/// The result for a path that leaves a capture active: its line ran in a
/// capture that never ended, or that ended only after the function had
/// returned.
Confirmation Joiner::left(const StaticFinding &F) const {
  std::set<unsigned> Of = capturesOf(F), Ran;
  for (const Position &At : linesOf(F))
    for (const WatchedLine &L : Seen.Lines)
      if (L.At.File == At.File && L.At.Line == At.Line)
        Ran.insert(L.During.begin(), L.During.end());
  std::erase_if(Ran, [&](unsigned Id) { return !Of.count(Id); });
  if (Ran.empty())
    return absent(F);
  auto IsOpen = [&](unsigned Id) { return Captures.at(Id)->End.empty(); };
  auto IsLeft = [&](unsigned Id) {
    const std::vector<Frame> &End = Captures.at(Id)->End;
    return std::none_of(End.begin(), End.end(), [&](const Frame &Each) {
      return namesAgree(Each.Function, F.Function);
    });
  };
  auto Open = std::count_if(Ran.begin(), Ran.end(), IsOpen);
  auto Left = std::count_if(Ran.begin(), Ran.end(), IsLeft);
  Confirmation C;
  C.Is = Left ? Status::Confirmed : Status::NotReproduced;
  C.Captures = unsigned(Open ? Open : Left ? Left : Ran.size());
  C.Note = (Left ? "confirmed by a run: " : "not reproduced: ") +
           ("it ran in " + counted(C.Captures, "capture")) + ", which " +
           (Open   ? "never ended"
            : Left ? "ended after '" + baseName(F.Function) + "' had returned"
                   : "ended in '" + baseName(F.Function) + "'");
  return C;
}

/// Whether all captures of \p E were broken.
bool Joiner::isBroken(const Event &E) const {
  return !E.Captures.empty() &&
         std::all_of(E.Captures.begin(), E.Captures.end(), [&](unsigned Id) {
           auto It = Captures.find(Id);
           return It != Captures.end() && !It->second->HasGraph;
         });
}

/// The result if CUDA returns success whether or not the replay is correct.
Confirmation Joiner::silent(const StaticFinding &F, const Found &All,
                            const std::vector<Candidate> &Others) const {
  std::set<unsigned> Captured = capturesOf(F);
  Confirmation C = SilentVerdict(F, Seen, All.Calls, Captured).decide();
  if (C.Is != Status::NotExecuted || isHostLogic(F))
    return C.Is == Status::NotExecuted ? absent(F) : C;
  bool Executed = !All.Watched.empty() || !Others.empty();
  if (!Executed)
    return !All.Consequences.empty() ? executed(F, All, Others) : absent(F);
  C = executed(F, All, Others);
  const auto &Calls = All.Watched.empty() ? Others : All.Watched;
  if (std::all_of(Calls.begin(), Calls.end(),
                  [&](const Candidate &H) { return isBroken(*H.E); })) {
    C.Note += ", which resulted in no graph";
    return C;
  }
  C.Is = Status::NotWatched;
  constexpr std::string_view Old = "not reproduced: ";
  C.Note = "not watched: " + C.Note.substr(Old.size());
  C.Note += Seen.CallsLeftOut
                ? ", but the report does not contain all calls"
                : ", and the report does not show what happened to its node";
  return C;
}

Confirmation Joiner::decide(const StaticFinding &F, const Found &All) {
  std::vector<Candidate> Predicted, OtherOutcome, Others;
  for (const Candidate &H : All.Findings) {
    if (fits(F, *H.E))
      Predicted.push_back(H);
    else if (H.E->Kind == probe::kind::Refused ||
             H.E->Kind == probe::kind::Survived ||
             H.E->Kind == probe::kind::Escaped)
      OtherOutcome.push_back(H);
    else
      Others.push_back(H);
  }
  if (Predicted.empty() && OtherOutcome.empty())
    for (const Event &E : Seen.Findings)
      if (showsFrozen(F, E))
        Predicted.push_back({&E, {}, nullptr});
  for (const std::vector<Candidate> *Candidates : {&Predicted, &OtherOutcome})
    for (const Candidate &H : *Candidates)
      Taken.insert(H.E);
  // The events of the node contain the location of the free.
  bool Copies = !Predicted.empty() &&
                Predicted.front().E->Kind == probe::kind::PageableCopy;
  if (Copies && isSilent(F))
    if (Confirmation C = silent(F, All, Others);
        C.Is == Status::Confirmed && !C.Recorded.empty())
      return C;
  if (!Predicted.empty())
    return confirmed(F, Predicted, /*AsPredicted=*/true);
  if (!OtherOutcome.empty())
    return confirmed(F, OtherOutcome, /*AsPredicted=*/false);
  if (isSilent(F))
    return silent(F, All, Others);
  if (leavesCapture(F))
    return left(F);
  if (!All.Watched.empty() || !All.Consequences.empty() || !Others.empty())
    return executed(F, All, Others);
  return absent(F);
}

} // namespace cudagraph::confirm
