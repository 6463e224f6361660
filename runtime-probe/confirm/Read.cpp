//===- Read.cpp - Reads reports and findings ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm.h"
#include "format/JsonFields.h"
#include <algorithm>

namespace cudagraph::confirm {
namespace {

using probe::eachOf;
using probe::field;
using probe::intOf;
using probe::Json;
using probe::ReportFault;
using probe::textOf;

/// The error in \p File, which \p Maker writes, and the remedy.
std::string refusal(const std::string &File, const ReportFault &Fault,
                    const std::string &Maker, const std::string &Remedy) {
  std::string Reason;
  switch (Fault.Is) {
  case ReportFault::Empty:
    Reason = "is empty";
    break;
  case ReportFault::NoJson:
    Reason = "is damaged: " + Fault.Detail;
    break;
  case ReportFault::NotOurs:
    Reason = "is not a report of " + Maker;
    break;
  case ReportFault::Others:
    Reason = "is a report of " + Fault.Detail + ", not of " + Maker;
    break;
  case ReportFault::Version:
    Reason = "has version " + Fault.Detail +
             ", but this program supports version " +
             std::to_string(probe::ReportVersion);
    break;
  case ReportFault::NoList:
    Reason = "has no list of " + Fault.Detail;
    break;
  }
  return File + " " + Reason + "; " + Remedy;
}

//===----------------------------------------------------------------------===//
// Reports of runs
//===----------------------------------------------------------------------===//

Frame frame(const probe::Frame &F) {
  return {F.Function, F.File, F.Module, F.Line, F.Column, F.Inlined};
}

Frame frame(const probe::Location &L) {
  return {L.Function, L.File, {}, L.Line, L.Column, false};
}

/// The frames, or the location if there are none.
std::vector<Frame> frames(const probe::Stack &S) {
  std::vector<Frame> Result;
  for (const probe::Frame &F : S.Frames)
    Result.push_back(frame(F));
  if (Result.empty() && S.Where)
    Result.push_back(frame(*S.Where));
  return Result;
}

std::optional<Frame> place(const probe::Stack &S) {
  return S.Where ? std::optional(frame(*S.Where)) : std::nullopt;
}

/// The common fields of findings and observed calls.
template <typename T> Event event(const T &Seen, unsigned FirstCapture) {
  Event E;
  E.Code = Seen.Code;
  E.Api = Seen.Api;
  for (unsigned Id : Seen.Captures)
    E.Captures.push_back(FirstCapture + Id);
  E.At = place(Seen.At);
  E.Stack = frames(Seen.At);
  for (const probe::PythonFrame &F : Seen.At.Python)
    E.Python.push_back({F.Function, F.File, {}, F.Line, 0, false});
  E.Times = Seen.Times;
  return E;
}

Event event(const probe::Finding &F, unsigned FirstCapture) {
  Event E = event<probe::Finding>(F, FirstCapture);
  E.Kind = F.Kind;
  E.Name = probe::errorName(F.Code);
  E.Message = F.Message;
  E.Remark = probe::isRemark(F);
  for (const probe::Consequence &C : F.Consequences)
    E.Consequences.push_back(
        {C.Api, C.Code, C.Where ? frame(*C.Where) : Frame()});
  for (const probe::Change &C : F.Changes)
    E.Changes.push_back({C.Type, C.Function, C.What, frames(C.At)});
  for (const probe::Related &O : F.Others)
    if (!O.Node.empty())
      E.Nodes.push_back({O.Node, frames(O.At)});
  return E;
}

Recorded recorded(const probe::Recorded &C, unsigned FirstCapture,
                  size_t FirstLine) {
  Recorded Result;
  Result.Call = {C.Type, frames(C.At)};
  Result.Function = C.Function;
  for (unsigned Id : C.Captures)
    Result.Captures.push_back(FirstCapture + Id);
  Result.Launches = C.Launches;
  Result.Relaunches = C.Relaunches;
  Result.Sets = C.Sets;
  Result.Memory = C.Memory;
  Result.Returned = C.Returned;
  Result.Again = C.Again;
  Result.OtherThread = C.OtherThread;
  for (const probe::Ending &E : C.Endings) {
    Ending Each{E.How, place(E.At), E.Launches, frames(E.At)};
    Result.Endings.push_back(std::move(Each));
  }
  for (const probe::FailedLaunch &L : C.Failed)
    Result.Refused.push_back({L.Code, place(L.At), frames(L.At)});
  for (const probe::UnorderedNode &N : C.Unordered)
    Result.Others.push_back({N.Type, N.Function, place(N.At), N.Launches});
  Result.Ordered = C.Ordered;
  for (const probe::RanBefore &L : C.Ran)
    Result.Ran.emplace_back(FirstLine + L.Line, L.Launches);
  return Result;
}

//===----------------------------------------------------------------------===//
// Reports of the analysis
//===----------------------------------------------------------------------===//

Position position(const Json &J) {
  return {textOf(J, "file"), probe::countOf(J, "line"),
          probe::countOf(J, "column"), probe::countOf(J, "end_line")};
}

Prediction prediction(const Json &J) {
  Prediction P;
  P.Kind = textOf(J, "kind");
  if (int Code = intOf(J, "code"))
    P.Code = Code;
  if (const Json &Modes = field(J, "by_mode"); Modes.is_object())
    P.ByMode = {intOf(Modes, "global"), intOf(Modes, "thread_local"),
                intOf(Modes, "relaxed")};
  eachOf(J, "alternatives", [&](const Json &A) {
    P.OtherKinds.push_back(textOf(A, "kind"));
    if (int Code = intOf(A, "code"))
      P.OtherCodes.push_back(Code);
  });
  return P;
}

StaticFinding finding(const Json &J) {
  StaticFinding F;
  F.Check = textOf(J, "check");
  F.Message = textOf(J, "message");
  F.Callee = textOf(J, "callee");
  F.Function = textOf(J, "function");
  F.At = position(field(J, "location"));
  eachOf(J, "chain", [&](const Json &S) {
    F.addStep({position(field(S, "location")), textOf(S, "function"),
               textOf(S, "message")});
  });
  eachOf(J, "notes", [&](const Json &N) {
    F.Notes.push_back({position(field(N, "location")), textOf(N, "function"),
                       textOf(N, "message")});
  });
  F.Regions = probe::countsOf(J, "regions");
  F.Outcome = prediction(field(J, "outcome"));
  return F;
}

} // namespace

void addRun(const probe::Report &R, Run &Result) {
  unsigned First = 0; // each of several reports counts from 1
  for (const Capture &C : Result.Captures)
    First = std::max(First, C.Id);
  for (const std::vector<Event> *Events : {&Result.Findings, &Result.Watched})
    for (const Event &E : *Events)
      for (unsigned Id : E.Captures)
        First = std::max(First, Id);
  for (const probe::Capture &Seen : R.Captures) {
    Capture C;
    C.Id = First + Seen.Id;
    C.Mode = Seen.Mode;
    std::replace(C.Mode.begin(), C.Mode.end(), '-', '_');
    C.Begin = frames(Seen.Begin);
    C.HasGraph = Seen.Outcome != "invalidated";
    C.End = frames(Seen.End);
    Result.Captures.push_back(std::move(C));
  }
  for (const probe::Finding &F : R.Findings)
    Result.Findings.push_back(event(F, First));
  for (const probe::Watched &W : R.Watches) {
    Result.Watched.push_back(event<probe::Watched>(W, First));
    Result.Watched.back().Kind = "watched";
  }
  for (const probe::Recorded &C : R.Calls)
    Result.Calls.push_back(recorded(C, First, Result.Lines.size()));
  for (const probe::SourceLine &L : R.Lines) {
    WatchedLine Each{{L.File, L.Line, 0, L.Line}, L.Problem, L.Times, {}};
    for (unsigned Id : L.During)
      Each.During.push_back(First + Id);
    Result.Lines.push_back(std::move(Each));
  }
  Result.CallsLeftOut |= R.CallsLeftOut != 0;
  for (const probe::Process &P : R.Processes) {
    Result.CapturesOnly |= P.CapturesOnly;
    Result.Detached |= P.Detached;
    Result.Unwatched |= P.Unwatched;
    Result.Heap |= P.Heap;
  }
  for (const probe::Process &P : R.Processes)
    if (!P.Complete)
      Result.Problems.push_back(
          "process " + std::to_string(P.Pid) +
          " did not exit normally: its last calls may be missing");
  Result.Watching |= !R.Watching.empty();
  Result.Problems.insert(Result.Problems.end(), R.Problems.begin(),
                         R.Problems.end());
}

bool readReport(std::string_view Text, const std::string &File, Run &Result,
                std::string &Why) {
  probe::Report R;
  if (auto Fault = probe::readReport(Text, R)) {
    Why = refusal(File, *Fault, "cudagraph-probe",
                  "'cudagraph-probe run --output FILE' writes one");
    return false;
  }
  addRun(R, Result);
  return true;
}

bool readFindings(std::string_view Text, const std::string &File,
                  StaticResult &Result, std::string &Why) {
  Json Root;
  if (auto Fault =
          probe::parseVersioned(Text, "cudagraph-tidy", "findings", Root)) {
    Why = refusal(File, *Fault, "cudagraph-tidy",
                  "'cudagraph-tidy --format=json:FILE' writes one");
    return false;
  }
  eachOf(Root, "regions", [&](const Json &J) {
    Result.Regions.push_back({probe::countOf(J, "id"), textOf(J, "name"),
                              position(field(J, "location"))});
  });
  eachOf(Root, "findings", [&](const Json &J) {
    StaticFinding F = finding(J);
    if (F.At.Line)
      Result.Findings.push_back(std::move(F));
  });
  return true;
}

} // namespace cudagraph::confirm
