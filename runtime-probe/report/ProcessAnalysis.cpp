//===- ProcessAnalysis.cpp - The events of one process, in order ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProcessAnalysis.h"
#include "Causes.h"
#include "PythonFindings.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace cudagraph::probe {
namespace {

constexpr int Invalidated = 901, WrongThread = 908;

bool isCaptureCode(int Code) { return Code >= 900 && Code <= 908; }

bool readsError(StringRef Api) {
  return Api == "cudaGetLastError" || Api == "cudaPeekAtLastError";
}

bool endsCapture(StringRef Api) { return Api.ends_with("StreamEndCapture"); }

/// True for codes that are answers rather than failures: cudaErrorNotReady, and
/// peer access that is already enabled.
bool isAnswer(int Code) { return Code == 600 || Code == 704; }

} // namespace

void ProcessAnalysis::run() {
  size_t First = R.Captures.size();
  for (const TraceEvent &E : P.Events) {
    switch (E.Kind) {
#define LINE(ID, NAME)
#define EVENT(ID, NAME, ANALYZE)                                               \
  case EventKind::ID:                                                          \
    ANALYZE(E);                                                                \
    break;
#include "format/Lines.def"
    }
    Recordings.take(E);
  }
  Process &Of = R.Processes.back();
  Of.Detached = P.CaptureLimit && States.size() >= P.CaptureLimit;
  Recordings.finish();
  finish();
  for (const auto &[Index, E] : Sources)
    addRemedy(R.Findings[Index], R, E->StreamKind);
  PythonFindings(P, R, First).add();
  frozen();
  environment();
}

void ProcessAnalysis::begin(const TraceEvent &E) {
  State &C = States[E.Capture];
  C = State();
  C.Index = R.Captures.size();
  C.Begin = &E;
  Capture Out;
  Out.Id = static_cast<unsigned>(C.Index + 1);
  Out.Pid = P.Pid;
  Out.Stream = E.Stream;
  Out.Kind = E.StreamKind;
  Out.Mode = E.Mode;
  Out.By = thread(E.Tid);
  Out.Begin = S.resolve(E.Stack);
  Out.Outcome = "unfinished";
  Out.Name = nameOf(P, E);
  R.Captures.push_back(std::move(Out));
}

void ProcessAnalysis::call(const TraceEvent &E) {
  bool Breaks = any_of(E.Captures, [&](const TraceEvent::Active &A) {
    State *C = state(A.Id);
    return A.Invalidated && C && !C->Broken;
  });
  if (E.Code || Breaks)
    failed(E);
  else if (!E.Api.empty())
    watched(E);
}

void ProcessAnalysis::failed(const TraceEvent &E) {
  if (readsError(E.Api))
    return errorRead(E);
  if (outerCall(E))
    return;
  std::vector<uint64_t> Broken;
  for (const TraceEvent::Active &A : E.Captures)
    if (State *C = state(A.Id); A.Invalidated && C && !C->Broken)
      Broken.push_back(A.Id);
  if (!Broken.empty())
    return broke(E, Broken);
  if (E.Code == Invalidated || (!isCaptureCode(E.Code) && E.Capture &&
                                state(E.Capture) && state(E.Capture)->Broken)) {
    if (std::optional<size_t> Cause = causeOf(E))
      return follow(*Cause, E);
    if (E.Code != Invalidated)
      return;
  }
  refusedAlone(E);
}

/// The outer call returns the result of the inner one. In a finding, a runtime
/// call replaces the driver call inside it.
bool ProcessAnalysis::outerCall(const TraceEvent &E) {
  auto It = Last.find(E.Tid);
  if (It == Last.end())
    return false;
  Failure &Inner = It->second;
  if (Inner.Event->Code != E.Code || Inner.Event->Api == E.Api ||
      !S.sameCall(Inner.Event->Stack, E.Stack))
    return false;
  if (!Inner.Finding)
    return false;
  Finding &F = R.Findings[*Inner.Finding];
  bool Replaces = Inner.Event->Domain == "driver" && E.Domain == "runtime";
  if (!Replaces) {
    // One call is sufficient for each consequence.
    if (!Inner.Consequence)
      follow(*Inner.Finding, E);
  } else if (Inner.Consequence) {
    F.Consequences[*Inner.Consequence].Api = E.Api;
  } else if (F.Api == Inner.Event->Api) {
    std::string Old = "'" + F.Api + "'";
    F.Message.replace(F.Message.find(Old), Old.size(), "'" + E.Api + "'");
    F.Api = E.Api;
  }
  Inner.Event = &E;
  return true;
}

/// Reading an error is never its cause: the error belongs to the last finding
/// with that code, on this thread if there is one.
void ProcessAnalysis::errorRead(const TraceEvent &E) {
  std::optional<size_t> Match;
  for (const auto &[Index, F] : enumerate(R.Findings)) {
    bool Has = F.Code == E.Code ||
               any_of(F.Consequences,
                      [&](const Consequence &C) { return C.Code == E.Code; });
    if (Has && E.Code &&
        (!Match || F.By.Id == E.Tid || R.Findings[*Match].By.Id != E.Tid))
      Match = Index;
  }
  if (Match)
    follow(*Match, E);
}

void ProcessAnalysis::broke(const TraceEvent &E, ArrayRef<uint64_t> Ids) {
  std::optional<size_t> Cause;
  std::string Tail = " and broke the ";
  if (E.Code == Invalidated) {
    Cause = otherThreadsCall(E, Ids.front());
    Tail = ": an unobserved call broke the ";
  }
  if (Cause)
    follow(*Cause, E);
  else
    Cause = add(kind::Refused, E, subject(E, Ids) + Tail + describe(Ids), Ids);
  for (uint64_t Id : Ids) {
    State *C = state(Id);
    C->Broken = true;
    C->Cause = Cause;
  }
}

/// A failed call that broke no capture and is not a consequence.
void ProcessAnalysis::refusedAlone(const TraceEvent &E) {
  std::vector<uint64_t> Going = active(E);
  bool Given = is_contained(Going, E.Capture);
  bool Ends = endsCapture(E.Api);
  if (!isCaptureCode(E.Code) && (!Given || isAnswer(E.Code)) &&
      (!Ends || Going.empty()))
    return;
  if (Given)
    Going = {E.Capture};
  if (Ends) {
    add(kind::Refused, E,
        subject(E, Going) +
            (Going.empty() ? "" : " and did not end the " + describe(Going)),
        Going);
  } else if (!Going.empty()) {
    add(kind::Survived, E,
        subject(E, Going) + ": its work is missing, and the " +
            describe(Going) + " continued",
        Going);
  } else {
    std::vector<uint64_t> Broken;
    for (const TraceEvent::Active &A : E.Captures)
      if (state(A.Id))
        Broken.push_back(A.Id);
    if (Broken.empty() && state(E.Capture))
      Broken.push_back(E.Capture);
    std::string Tail = ": it was refused because of a capture";
    if (E.Code == Invalidated)
      Tail = ": an unobserved call broke the capture";
    else if (!Broken.empty())
      Tail = " in the " + describe(Broken) + ", which was already broken";
    add(kind::Refused, E, subject(E, Broken) + Tail, Broken);
  }
}

/// The cause of 901 and similar errors: the call that broke the capture of the
/// stream, or one of those that the call involves, or the last refused call.
std::optional<size_t> ProcessAnalysis::causeOf(const TraceEvent &E) {
  if (State *C = state(E.Capture); C && C->Cause)
    return C->Cause;
  for (const TraceEvent::Active &A : E.Captures)
    if (State *C = state(A.Id); C && C->Cause)
      return C->Cause;
  auto It = Last.find(E.Tid);
  if (It != Last.end() && It->second.Finding)
    return It->second.Finding;
  return std::nullopt;
}

/// The last refused call that involved the capture \p Id, on a thread other
/// than that of \p E.
std::optional<size_t> ProcessAnalysis::otherThreadsCall(const TraceEvent &E,
                                                        uint64_t Id) {
  std::optional<size_t> Match;
  for (const auto &[Tid, F] : Last)
    if (Tid != E.Tid && F.Finding &&
        any_of(F.Event->Captures,
               [&](const TraceEvent::Active &A) { return A.Id == Id; }))
      Match = F.Finding;
  return Match;
}

void ProcessAnalysis::end(const TraceEvent &E) {
  State *C = state(E.Capture);
  if (!C || C->Ended)
    return;
  // The capture continues, and the right thread can still end it.
  if (E.Code == WrongThread) {
    if (!outerCall(E))
      C->Cause = add(kind::Refused, E,
                     subject(E, E.Capture) + " and did not end the " +
                         describe(E.Capture),
                     E.Capture);
    return;
  }
  C->Ended = true;
  C->End = &E;
  dead(E);
  Capture &Out = R.Captures[C->Index];
  Out.End = S.resolve(E.Stack);
  Out.Code = E.Code;
  if (E.Time > C->Begin->Time)
    Out.Microseconds = static_cast<double>(E.Time - C->Begin->Time) / 1000;
  constexpr size_t MostNodes = 128;
  for (const TraceNode &N : E.Nodes) {
    ++Out.Nodes[N.Type];
    if (Out.Graph.size() < MostNodes)
      Out.Graph.push_back({N.Type, N.Name.empty() ? "" : demangled(N.Name),
                           N.Stream, S.resolve(N.Stack).Where});
  }
  if (E.NodesLeftOut)
    Out.Nodes["left out"] = static_cast<unsigned>(E.NodesLeftOut);
  if (!E.Code) {
    bool Empty = E.HasGraph && E.Nodes.empty() && !E.NodesLeftOut &&
                 !isOfPyTorch(Out.Begin);
    Out.Outcome = Empty ? "empty" : "graph";
    if (Empty)
      add(kind::EmptyGraph, E,
          "the " + describe(E.Capture) + " has recorded nothing", E.Capture);
    return;
  }
  Out.Outcome = "invalidated";
  if (C->Cause && outerCall(E))
    return;
  if (C->Broken && C->Cause)
    return follow(*C->Cause, E);
  if (E.Code == Invalidated)
    C->Cause = otherThreadsCall(E, E.Capture);
  C->Broken = true;
  if (C->Cause && E.Code == Invalidated)
    return follow(*C->Cause, E);
  C->Cause =
      add(kind::Refused, E,
          subject(E, E.Capture) +
              (E.Code == Invalidated ? ": an unobserved call broke the "
                                     : " and ended, without a graph, the ") +
              describe(E.Capture),
          E.Capture);
}

/// An error path ends a capture without work and drops its graph. This is
/// visible if the run has recorded the graphs of other captures.
void ProcessAnalysis::abandoned() {
  std::set<unsigned> Unused;
  for (const auto &[Id, C] : States)
    if (!C.Instantiated)
      Unused.insert(static_cast<unsigned>(C.Index + 1));
  if (Unused.size() == States.size())
    return;
  for (Finding &F : R.Findings)
    if (F.Kind == kind::EmptyGraph &&
        all_of(F.Captures, [&](unsigned Id) { return Unused.count(Id); }))
      F.Level = Severity::Remark;
}

void ProcessAnalysis::finish() {
  abandoned();
  for (auto &[Id, C] : States)
    if (!C.Ended && !C.Cause && !C.Broken && !P.Limited)
      add(kind::Unfinished, *C.Begin,
          "the " + describe(Id) + " was never ended" +
              (P.Complete ? "" : ": the process stopped during it"),
          Id);
}

} // namespace cudagraph::probe
