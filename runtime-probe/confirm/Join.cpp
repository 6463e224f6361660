//===- Join.cpp - Joins static findings with a run ------------------------===//
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

/// Records the findings with which \p E agrees best, frame by frame.
void Joiner::assign(const Event &E, const Event &Whole, List To) {
  std::map<unsigned, std::vector<std::pair<size_t, Match>>> ByFrame;
  for (size_t I = 0; I < Static.Findings.size(); ++I)
    if (std::optional<Match> M = match(Static.Findings[I], E, Files))
      ByFrame[M->Frame].push_back({I, *M});
  for (auto &[Index, All] : ByFrame) {
    unsigned File = 0, Off = MostLinesOff;
    for (const auto &[I, M] : All)
      File = std::max(File, M.File);
    std::erase_if(All, [&](const auto &A) { return A.second.File < File; });
    for (const auto &[I, M] : All)
      Off = std::min(Off, M.LinesOff);
    std::erase_if(All, [&](const auto &A) { return A.second.LinesOff > Off; });
    // If a line contains several calls, their columns distinguish them, if
    // known.
    unsigned Column = E.Stack[Index].Column;
    auto Starts = [&](const auto &A) {
      return Static.Findings[A.first].At.Column == Column;
    };
    if (Column && std::any_of(All.begin(), All.end(), Starts))
      std::erase_if(All, [&](const auto &A) { return !Starts(A); });
    for (const auto &[I, M] : All)
      (Matches[I].*To).push_back({&Whole, M, nullptr});
  }
}

/// A call at the exact location takes precedence over one nearby.
void Joiner::preferExact(List Of) {
  for (Found &All : Matches) {
    auto Near = [](const Candidate &H) { return H.At.LinesOff != 0; };
    bool Exact = false;
    for (const std::vector<Candidate> *Candidates :
         {&All.Findings, &All.Watched})
      Exact |= !std::all_of(Candidates->begin(), Candidates->end(), Near);
    if (Exact)
      std::erase_if(All.*Of, Near);
  }
}

unsigned Joiner::nearestRegion(const std::vector<Frame> &Begin) {
  unsigned Best = 0, Off = MostLinesOff + 1;
  for (const Frame &F : Begin)
    for (const StaticRegion &G : Static.Regions)
      if (auto M = matchPlace(G.Begin, G.Name, F, Files);
          M && M->LinesOff < Off)
        Best = G.Id, Off = M->LinesOff;
  return Best;
}

bool Joiner::inRegion(const Event &E, const StaticFinding &F) const {
  return std::any_of(E.Captures.begin(), E.Captures.end(), [&](unsigned Id) {
    auto It = RegionOf.find(Id);
    return It != RegionOf.end() && It->second &&
           std::find(F.Regions.begin(), F.Regions.end(), It->second) !=
               F.Regions.end();
  });
}

std::set<unsigned> Joiner::capturesOf(const StaticFinding &F) const {
  std::set<unsigned> Result;
  for (const auto &[Id, Region] : RegionOf)
    if (std::find(F.Regions.begin(), F.Regions.end(), Region) !=
        F.Regions.end())
      Result.insert(Id);
  return Result;
}

/// Assigns the calls that recorded nodes, and the run's findings about nodes.
/// The stack of such a finding belongs to a free or a launch.
void Joiner::assignNodes() {
  for (size_t I = 0; I < Static.Findings.size(); ++I) {
    const StaticFinding &F = Static.Findings[I];
    if (!isSilent(F))
      continue;
    if (isHostLogic(F)) {
      std::set<unsigned> Of = capturesOf(F);
      for (const Recorded &R : Seen.Calls)
        if (std::any_of(R.Captures.begin(), R.Captures.end(),
                        [&](unsigned Id) { return Of.count(Id); }))
          Matches[I].Calls.push_back(&R);
      continue;
    }
    unsigned Off = MostLinesOff + 1;
    for (const Recorded &R : Seen.Calls)
      if (auto M = matchNode(F, R.Call, R.Function, Files)) {
        if (M->LinesOff < Off)
          Matches[I].Calls.clear();
        Off = std::min(Off, M->LinesOff);
        if (M->LinesOff == Off)
          Matches[I].Calls.push_back(&R);
      }
    for (const Event &E : Seen.Findings)
      for (const NodeCall &N : E.Nodes)
        if (auto M = matchNode(F, N, "", Files); M && !M->LinesOff) {
          Matches[I].Findings.push_back({&E, *M, &N});
          break;
        }
  }
}

Joined Joiner::run() {
  for (const Capture &C : Seen.Captures) {
    Captures[C.Id] = &C;
    RegionOf[C.Id] = nearestRegion(C.Begin);
  }
  for (const Event &E : Seen.Findings) {
    // A frozen finding has the stack of the begin call; showsFrozen() compares
    // it.
    if (E.Kind != probe::kind::Frozen)
      assign(E, E, &Found::Findings);
    for (const Consequence &Then : E.Consequences) {
      Event Call;
      Call.Api = Then.Api;
      Call.Stack = {Then.At};
      assign(Call, E, &Found::Consequences);
    }
  }
  for (const Event &E : Seen.Watched)
    if (!E.Captures.empty())
      assign(E, E, &Found::Watched);
  assignNodes();
  for (List Of : {&Found::Findings, &Found::Watched, &Found::Consequences})
    preferExact(Of);

  Joined Result;
  for (size_t I = 0; I < Static.Findings.size(); ++I)
    Result.Confirmations.push_back(decide(Static.Findings[I], Matches[I]));
  for (const Event &E : Seen.Findings) {
    if (E.Remark || Taken.contains(&E))
      continue;
    RunOnly Other{E, 0};
    for (unsigned Id : E.Captures)
      if (auto It = RegionOf.find(Id); !Other.Region && It != RegionOf.end())
        Other.Region = It->second;
    Result.Others.push_back(std::move(Other));
  }
  return Result;
}

const char *spelling(Status S) {
  static constexpr const char *Names[] = {
      "confirmed", "refuted", "not-reproduced", "not-watched", "not-executed"};
  return Names[static_cast<size_t>(S)];
}

std::string inWords(Status S) {
  std::string Text = spelling(S);
  std::replace(Text.begin(), Text.end(), '-', ' ');
  return Text;
}

unsigned Joined::count(Status S) const {
  return unsigned(std::count_if(Confirmations.begin(), Confirmations.end(),
                                [&](const auto &C) { return C.Is == S; }));
}

Joined join(const StaticResult &Findings, const Run &Seen) {
  return Joiner(Findings, Seen).run();
}

std::string watchList(const StaticResult &Findings) {
  std::set<std::string> Names;
  for (const StaticFinding &F : Findings.Findings) {
    if (isHostLogic(F))
      continue;
    if (isCudaApi(F.Callee)) {
      for (const std::string &Name : runNames(F.Callee))
        Names.insert(Name);
      continue;
    }
    // The callee may be a kernel, or a function that calls the same functions.
    Names.insert(launchFunctions().begin(), launchFunctions().end());
    if (!librariesOf(F.Callee).empty())
      for (const char *Usual :
           {"cudaFree", "cudaMalloc", "cudaMemcpyAsync", "cudaMemsetAsync",
            "cudaDeviceSynchronize", "cudaStreamSynchronize"})
        Names.insert(Usual);
  }
  std::string Result;
  for (const std::string &Name : Names)
    Result += (Result.empty() ? "" : ",") + Name;
  return Result;
}

} // namespace cudagraph::confirm
