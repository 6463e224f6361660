//===- ProcessFindings.cpp - Findings from the events ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The findings that are not failed calls, and the texts and bookkeeping of all
// findings.
//
//===----------------------------------------------------------------------===//

#include "ProcessAnalysis.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

/// True if \p F was observed at \p At, which has frames if it has no location.
bool samePlace(const Stack &At, const Finding &F) {
  if (At.Where || F.At.Where)
    return At.Where == F.At.Where;
  return llvm::equal(At.Frames, F.At.Frames,
                     [](const Frame &A, const Frame &B) {
                       return A.Function == B.Function && A.Module == B.Module;
                     });
}

template <typename T> void unite(std::vector<T> &Into, ArrayRef<T> Values) {
  for (const T &Value : Values)
    if (!is_contained(Into, Value))
      Into.push_back(Value);
}

std::string named(const Thread &T) {
  std::string Text = "thread " + std::to_string(T.Id);
  return T.Name.empty() ? Text : Text + " ('" + T.Name + "')";
}

std::string did(const TraceEvent &E) {
  std::string Name = E.Name.empty() ? "" : " '" + demangled(E.Name) + "'";
  if (E.Work == "launch")
    return "launched" + (Name.empty() ? std::string(" a kernel") : Name);
  if (E.Work == "copy")
    return "copied memory";
  if (E.Work == "set")
    return "set memory";
  if (E.Work == "free")
    return "freed memory";
  if (E.Work == "host")
    return "enqueued a host function";
  if (E.Work == "graph")
    return "launched a graph";
  return "enqueued work";
}

} // namespace

/// Work of the capturing thread was intended for its graph, as was work of any
/// thread on the legacy stream. Other streams of other threads are independent.
void ProcessAnalysis::escape(const TraceEvent &E) {
  std::vector<uint64_t> Missed, Others;
  for (const TraceEvent::Active &A : E.Captures)
    if (State *C = state(A.Id))
      (C->Begin->Tid == E.Tid ? Missed : Others).push_back(A.Id);
  if (Missed.empty() && E.StreamKind == "legacy")
    Missed = Others;
  if (Missed.empty())
    return;
  std::string Where = " on stream " + E.Stream;
  if (!E.StreamKind.empty())
    Where += " (" + E.StreamKind + ")";
  State *C = state(Missed.front());
  std::string By = C->Begin->Tid == E.Tid ? "" : " on " + named(thread(E.Tid));
  add(kind::Escaped, E,
      "'" + E.Api + "'" + By + " " + did(E) + Where + ", outside the " +
          describe(Missed) +
          ": it is not in the graph, and no replay repeats it",
      Missed);
}

void ProcessAnalysis::pageable(const TraceEvent &E) {
  bool Reads = E.Direction != "d2h";
  std::string Text = "'" + E.Api + "' " + (Reads ? "reads " : "writes ") +
                     std::to_string(E.Bytes) + " bytes of ";
  if (E.Storage == "stack")
    Text += "stack memory in the " + describe(E.Capture) + ": every replay " +
            (Reads ? "reads" : "writes") +
            " it again, and must run before its function returns";
  else if (E.Storage == "heap")
    Text += "pageable heap memory in the " + describe(E.Capture) +
            ": every replay " + (Reads ? "reads" : "writes") +
            " it again, and it may be freed before a replay";
  else
    Text += "pageable memory in the " + describe(E.Capture) +
            ": every replay " + (Reads ? "reads" : "writes") + " it again";
  size_t Index = add(kind::PageableCopy, E, Text, E.Capture);
  State *C = state(E.Capture);
  if (!C)
    return;
  C->Pageable.emplace_back(E.Address, Index);
  if (E.Storage == "stack")
    C->OnStack.emplace_back(E.Address, Index);
}

ArrayRef<std::pair<std::string, size_t>>
ProcessAnalysis::pageableOf(uint64_t Capture) {
  State *C = state(Capture);
  return C ? ArrayRef(C->Pageable) : ArrayRef<std::pair<std::string, size_t>>();
}

/// Host memory of a captured copy is freed before the capture ends.
void ProcessAnalysis::freedInCapture(const TraceEvent &E) {
  if (E.Kind != EventKind::Free)
    return;
  uint64_t Begin = 0;
  StringRef(E.Address).getAsInteger(0, Begin);
  for (const TraceEvent::Active &A : E.Captures)
    for (const auto &[Text, Index] : pageableOf(A.Id)) {
      uint64_t Address = 0;
      StringRef(Text).getAsInteger(0, Address);
      Finding &F = R.Findings[Index];
      StringRef Message = F.Message;
      if (Address - Begin >= std::max<uint64_t>(E.Bytes, 1) || !isRemark(F) ||
          !Message.consume_back(", and it may be freed before a replay"))
        continue;
      F.Message =
          Message.str() + ", and '" + E.Api + "' frees it in the capture";
      F.Level = Severity::Warning;
      F.Others.push_back({"freed here by '" + E.Api + "'", S.resolve(E.Stack)});
    }
}

/// The function whose variable a copy uses had returned when the capture ended.
void ProcessAnalysis::dead(const TraceEvent &End) {
  State *C = state(End.Capture);
  for (const auto &[Address, Index] : C->OnStack) {
    Finding &F = R.Findings[Index];
    if (!isRemark(F) || !is_contained(End.Dead, Address))
      continue;
    F.Level = Severity::Warning;
    StringRef Message = F.Message;
    bool Reads = Message.contains("' reads ");
    size_t At = Message.rfind(": every replay");
    F.Message = Message.take_front(At).str() + ": its function has returned, " +
                "and every replay " + (Reads ? "reads" : "writes") +
                " whatever is at that address at that time";
  }
}

void ProcessAnalysis::first(const TraceEvent &E) {
  std::vector<uint64_t> During;
  for (const TraceEvent::Active &A : E.Captures)
    if (state(A.Id))
      During.push_back(A.Id);
  std::string Name = E.Name.empty() ? "" : " '" + demangled(E.Name) + "'";
  std::string What =
      E.Work == "context" ? "a context was created"
      : E.Work == "module-load"
          ? "the module" + (Name.empty() ? "" : " of" + Name) + " was loaded"
          : E.Work + Name;
  add(kind::FirstCall, E,
      What + " during the " + describe(During) +
          ": first-call initialization belongs before the capture",
      During);
}

void ProcessAnalysis::watched(const TraceEvent &E) {
  Watched W;
  W.Api = E.Api;
  W.Code = E.Code;
  W.At = S.resolve(E.Stack);
  W.Times = E.Times;
  std::vector<uint64_t> During;
  for (const TraceEvent::Active &A : E.Captures)
    During.push_back(A.Id);
  W.Captures = ids(During);
  for (Watched &Known : R.Watches) {
    if (Known.Api == W.Api && Known.Code == W.Code &&
        Known.At.Where == W.At.Where && W.At.Where) {
      Known.Times += W.Times;
      unite(Known.Captures, ArrayRef(W.Captures));
      return;
    }
  }
  R.Watches.push_back(std::move(W));
}

ProcessAnalysis::State *ProcessAnalysis::state(uint64_t Id) {
  auto It = States.find(Id);
  return It == States.end() ? nullptr : &It->second;
}

/// The captures that \p E involved and left active.
std::vector<uint64_t> ProcessAnalysis::active(const TraceEvent &E) {
  std::vector<uint64_t> Active;
  for (const TraceEvent::Active &A : E.Captures)
    if (State *C = state(A.Id); C && !A.Invalidated && !C->Broken)
      Active.push_back(A.Id);
  return Active;
}

std::vector<unsigned> ProcessAnalysis::ids(ArrayRef<uint64_t> Traced) {
  std::vector<unsigned> Ids;
  for (uint64_t Id : Traced)
    if (State *C = state(Id))
      Ids.push_back(static_cast<unsigned>(C->Index + 1));
  return Ids;
}

Thread ProcessAnalysis::thread(uint64_t Tid) const {
  auto It = P.Threads.find(Tid);
  return {Tid, It == P.Threads.end() ? "" : It->second};
}

/// "capture of stream 0x5 (non-blocking, global mode)".
std::string ProcessAnalysis::describe(ArrayRef<uint64_t> Traced) {
  std::string Text = Traced.size() > 1 ? "captures of " : "capture of ";
  if (Traced.empty())
    return "capture";
  for (size_t I = 0; I < Traced.size(); ++I) {
    State *C = state(Traced[I]);
    if (!C)
      continue;
    const Capture &Out = R.Captures[C->Index];
    if (I)
      Text += I + 1 < Traced.size() ? ", " : I > 1 ? ", and " : " and ";
    if (!Out.Name.empty())
      Text += Out.Name + " on ";
    Text += "stream " + Out.Stream;
    std::string Kind = Out.Kind;
    if (!Out.Mode.empty())
      Kind += (Kind.empty() ? "" : ", ") + Out.Mode + " mode";
    if (!Kind.empty())
      Text += " (" + Kind + ")";
  }
  return Text;
}

/// "'cudaMalloc' on thread 9 ('loader') returned NAME (900)"; the thread if it
/// is not the capturing one.
std::string ProcessAnalysis::subject(const TraceEvent &E,
                                     ArrayRef<uint64_t> Traced) {
  std::string Text = "'" + E.Api + "'";
  State *C = Traced.empty() ? nullptr : state(Traced.front());
  if (C && C->Begin->Tid != E.Tid)
    Text += " on " + named(thread(E.Tid));
  std::string Code = std::to_string(E.Code), Name = errorName(E.Code);
  return Text + " returned " +
         (Name.empty() ? "error " + Code : Name + " (" + Code + ")");
}

/// Adds a finding, or counts a repetition of an equal one.
size_t ProcessAnalysis::add(const char *Kind, const TraceEvent &E,
                            std::string Message, ArrayRef<uint64_t> Traced) {
  const Stack &At = S.resolve(E.Stack);
  auto It = find_if(R.Findings, [&](const Finding &F) {
    return F.Kind == Kind && F.Api == E.Api && F.Code == E.Code &&
           samePlace(At, F);
  });
  size_t Index = static_cast<size_t>(It - R.Findings.begin());
  if (It != R.Findings.end()) {
    It->Times += E.Times;
    unite(It->Captures, ArrayRef(ids(Traced)));
  } else {
    Finding F;
    F.Kind = Kind;
    F.Level = severityOf(Kind);
    F.Code = E.Code;
    F.Api = E.Api;
    F.Message = std::move(Message);
    F.Captures = ids(Traced);
    F.By = thread(E.Tid);
    F.At = At;
    F.Operator = operatorOf(At);
    F.Times = E.Times;
    R.Findings.push_back(std::move(F));
    Sources[Index] = &E;
  }
  if (E.Code)
    Last[E.Tid] = {&E, Index, std::nullopt};
  return Index;
}

/// Records that \p E is a consequence of the finding \p Cause.
void ProcessAnalysis::follow(size_t Cause, const TraceEvent &E) {
  std::vector<Consequence> &All = R.Findings[Cause].Consequences;
  const std::optional<Location> &Where = S.resolve(E.Stack).Where;
  auto It = find_if(All, [&](const Consequence &C) {
    return C.Api == E.Api && C.Code == E.Code && C.Where == Where;
  });
  size_t Index = static_cast<size_t>(It - All.begin());
  if (It != All.end())
    It->Times += E.Times;
  else
    All.push_back({E.Api, E.Code, Where, E.Times});
  Last[E.Tid] = {&E, Cause, Index};
}

} // namespace cudagraph::probe
