//===- RecordedCalls.cpp - The nodes that calls recorded ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordedCalls.h"
#include "GraphOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

/// The maximum number of calls in a report, because a report is read as a
/// whole.
constexpr size_t MostCalls = 1024;

template <typename T> void addOnce(std::vector<T> &To, T Value) {
  if (!is_contained(To, Value))
    To.push_back(std::move(Value));
}

bool sameFrame(const Frame &A, const Frame &B) {
  return A.Function == B.Function && A.File == B.File && A.Line == B.Line &&
         A.Column == B.Column && A.Module == B.Module;
}

} // namespace

void RecordedCalls::take(const TraceEvent &E) {
  ++Now;
  switch (E.Kind) {
  case EventKind::Begin:
    Captures[E.Capture].Begin = &E;
    return;
  case EventKind::Pageable:
    Captures[E.Capture].Storage[E.Address] = E.Storage;
    return;
  case EventKind::End:
    return ended(E);
  case EventKind::Exec:
    return made(E);
  case EventKind::Gone:
    if (auto It = Graphs.find(E.Exec); It != Graphs.end()) {
      gone(It->second);
      Graphs.erase(It);
    }
    return;
  case EventKind::Free:
    return freed(E);
  case EventKind::Launch:
    return launched(E);
  case EventKind::Ran:
    return ran(E);
  case EventKind::Order:
    R.Processes.back().Unwatched |= E.How == "unwatched";
    return;
  default:
    return;
  }
}

std::optional<size_t> RecordedCalls::callOf(const TraceNode &N) {
  if (!N.Stack || !P.Stacks.count(*N.Stack))
    return std::nullopt;
  auto [It, New] = Known.try_emplace({*N.Stack, N.Type, N.Name}, 0);
  if (!New)
    return It->second;
  if (R.Calls.size() >= MostCalls) {
    ++R.CallsLeftOut;
    Known.erase(It);
    return std::nullopt;
  }
  It->second = R.Calls.size();
  Recorded C;
  C.Type = N.Type;
  if (!N.Name.empty())
    C.Function = demangled(N.Name);
  C.At = S.resolve(N.Stack);
  R.Calls.push_back(std::move(C));
  return It->second;
}

void RecordedCalls::ended(const TraceEvent &E) {
  Captured &C = Captures[E.Capture];
  C.Time = Now;
  if (E.Code || !E.HasGraph)
    return;
  C.End = &E;
  unsigned Id = IdOf(E.Capture);
  for (const TraceNode &N : E.Nodes)
    if (std::optional<size_t> Call = callOf(N); Call && Id)
      addOnce(R.Calls[*Call].Captures, Id);
}

/// The kind of storage of host memory, known from the instantiation or from a
/// copy.
std::string RecordedCalls::storageOf(uint64_t Address, const TraceEvent &E,
                                     const Captured &From) {
  auto Holds = [&](const TraceRange &M) { return M.holds(Address); };
  if (auto It = find_if(E.Pageable, Holds); It != E.Pageable.end())
    return It->Kind;
  auto Found = From.Storage.find("0x" + utohexstr(Address, true));
  return Found != From.Storage.end() ? Found->second : "host";
}

void RecordedCalls::made(const TraceEvent &E) {
  Graph &G = Graphs[E.Exec];
  if (E.Node)
    return changed(G, E);
  if (E.IsUpdate)
    for (const Node &N : G.Nodes)
      if (N.Call)
        ++R.Calls[*N.Call].Sets;
  G = Graph();
  G.Capture = E.Capture;
  const Captured &From = Captures[E.Capture];
  const std::vector<TraceNode> &Nodes =
      E.Nodes.empty() && From.End ? From.End->Nodes : E.Nodes;
  for (const TraceNode &N : Nodes) {
    Node New;
    New.Call = callOf(N);
    New.Set = From.End ? From.Time : Now;
    G.Nodes.push_back(std::move(New));
  }
  for (Access &A : accessesOf(Nodes, {})) {
    auto Holds = [&](const TraceRange &M) { return M.holds(A.Address); };
    auto Range = find_if(E.Memory, Holds);
    const std::string &Type = Nodes[A.Node].Type;
    bool InMemory = Range != E.Memory.end();
    if (Type == "kernel" && !InMemory)
      continue; // a number
    Node &Of = G.Nodes[A.Node];
    if (Of.Call)
      addOnce(R.Calls[*Of.Call].Memory,
              InMemory ? Range->Kind : storageOf(A.Address, E, From));
    Of.Uses.push_back(std::move(A));
  }
  compare(G, Nodes, E.Memory);
  if (E.Heap) {
    HeapUnknown |= !*E.Heap;
    R.Processes.back().Heap = !HeapUnknown;
  }
  if (From.End)
    for (const TraceEvent *Free : From.Frees)
      freed(G, *Free);
}

/// Finds the nodes of the graph that share memory, without a path between them.
void RecordedCalls::compare(Graph &G, const std::vector<TraceNode> &Nodes,
                            const std::vector<TraceRange> &Memory) {
  std::optional<GraphOrder> Order = GraphOrder::of(Nodes);
  if (!Order)
    return;
  std::vector<NodeMemory> Of;
  std::vector<bool> May;
  for (size_t I = 0; I < G.Nodes.size(); ++I) {
    Of.push_back(memoryOf(G.Nodes[I].Uses, Memory));
    May.push_back(mayUseMemory(Nodes[I]));
  }
  for (size_t A = 0; A < G.Nodes.size(); ++A) {
    Node &Mine = G.Nodes[A];
    bool Known = Mine.Call && !Mine.Uses.empty();
    for (size_t B = 0; Mine.Call && B < G.Nodes.size(); ++B) {
      if (A == B || Order->isOrdered(A, B))
        continue;
      const std::vector<Access> &Other = G.Nodes[B].Uses;
      bool Share = (Of[A].Mask & Of[B].Mask) &&
                   shareMemory(Mine.Uses, Of[A], Other, Of[B]);
      if (Share && conflict(Mine.Uses, Other))
        Mine.Unordered.push_back(B);
      else if (May[B])
        Known &= !Other.empty() && !Share;
    }
    Mine.Ordered = Known && Mine.Unordered.empty();
  }
}

/// One node of an exec has different parameters.
void RecordedCalls::changed(Graph &G, const TraceEvent &E) {
  if (*E.Node >= G.Nodes.size())
    return;
  Node &N = G.Nodes[*E.Node];
  N.Set = Now;
  N.Uses.clear();
  for (const TraceWord &W : E.Words)
    if (any_of(E.Memory, [&](const TraceRange &M) { return M.holds(W.Value); }))
      N.Uses.push_back({W.Value, 1, Access::Unknown, *E.Node, ""});
  if (N.Call)
    ++R.Calls[*N.Call].Sets;
}

void RecordedCalls::freed(const TraceEvent &E) {
  for (const TraceEvent::Active &A : E.Captures)
    Captures[A.Id].Frees.push_back(&E);
  for (uint64_t Id : E.Execs)
    if (auto It = Graphs.find(Id); It != Graphs.end())
      freed(It->second, E);
}

void RecordedCalls::freed(Graph &G, const TraceEvent &E) {
  Access Range;
  StringRef(E.Address).getAsInteger(0, Range.Address);
  Range.Bytes = std::max<uint64_t>(E.Bytes, 1);
  for (const Node &N : G.Nodes)
    if (N.Call &&
        any_of(N.Uses, [&](const Access &A) { return A.overlaps(Range); }))
      addEnding(G, *N.Call, E.Api, S.resolve(E.Stack));
}

void RecordedCalls::addEnding(Graph &G, size_t Call, const std::string &How,
                              const Stack &At) {
  std::vector<Ending> &All = R.Calls[Call].Endings;
  auto It = find_if(All, [&](const Ending &Each) {
    return Each.How == How && Each.At.Where == At.Where;
  });
  size_t Which = size_t(It - All.begin());
  if (It == All.end())
    All.push_back({How, At, 0});
  addOnce(G.Endings, {Call, Which});
}

void RecordedCalls::launched(const TraceEvent &E) {
  auto It = Graphs.find(E.Exec);
  if (It == Graphs.end())
    return;
  Graph &G = It->second;
  if (E.Code)
    return launchFailed(G, E);
  G.Launched = Now;
  ++G.Launches;
  const Captured &From = Captures[G.Capture];
  hostMemory(G, E);
  std::set<size_t> Counted;
  std::set<std::pair<size_t, unsigned>> After;
  for (size_t I = 0; I < G.Nodes.size(); ++I) {
    const Node &N = G.Nodes[I];
    if (!N.Call)
      continue;
    for (auto [Line, Time] : LastRun)
      if (Time > N.Set)
        After.insert({*N.Call, Line});
    if (!Counted.insert(*N.Call).second)
      continue;
    Recorded &C = R.Calls[*N.Call];
    ++C.Launches;
    C.Relaunches += G.Launches > 1;
    countUnordered(G, N);
    if (From.Begin && From.Begin->Tid != E.Tid)
      C.OtherThread = true;
    else if (From.End && From.End->Nodes[I].Stack)
      returned(*N.Call, *From.End->Nodes[I].Stack, E);
  }
  for (auto [Call, Line] : After)
    ++ranBefore(Call, Line).Launches;
  for (auto [Call, Which] : G.Endings)
    ++R.Calls[Call].Endings[Which].Launches;
}

void RecordedCalls::countUnordered(const Graph &G, const Node &N) {
  Recorded &C = R.Calls[*N.Call];
  // An order in one graph shows nothing about the other graphs.
  C.Ordered = N.Ordered && (C.Ordered || C.Launches == 1);
  for (size_t Index : N.Unordered) {
    if (!G.Nodes[Index].Call)
      continue;
    const Recorded &Other = R.Calls[*G.Nodes[Index].Call];
    auto Same = find_if(C.Unordered, [&](const UnorderedNode &Each) {
      return Each.Type == Other.Type && Each.Function == Other.Function &&
             Each.At.Where == Other.At.Where;
    });
    if (Same == C.Unordered.end())
      Same = C.Unordered.insert(Same, {Other.Type, Other.Function, Other.At});
    ++Same->Launches;
  }
}

void RecordedCalls::launchFailed(const Graph &G, const TraceEvent &E) {
  std::set<size_t> Counted;
  for (const Node &N : G.Nodes) {
    if (!N.Call || !Counted.insert(*N.Call).second)
      continue;
    Stack At = S.resolve(E.Stack);
    std::vector<FailedLaunch> &All = R.Calls[*N.Call].Failed;
    auto Same = find_if(All, [&](const FailedLaunch &Each) {
      return Each.Code == E.Code && Each.At.Where == At.Where;
    });
    if (Same == All.end())
      All.push_back({E.Code, std::move(At), 1});
    else
      ++Same->Times;
  }
}

RanBefore &RecordedCalls::ranBefore(size_t Call, unsigned Line) {
  std::vector<RanBefore> &Ran = R.Calls[Call].Ran;
  auto Same = find_if(Ran, [&](const RanBefore &L) { return L.Line == Line; });
  if (Same == Ran.end())
    Same = Ran.insert(Same, {Line, 0});
  return *Same;
}

/// No launch follows, so a line that ran after the last launch has affected
/// none.
void RecordedCalls::gone(const Graph &G) {
  for (const Node &N : G.Nodes)
    for (auto [Line, Time] : LastRun)
      if (N.Call && Time > std::max(N.Set, G.Launched))
        ranBefore(*N.Call, Line);
}

void RecordedCalls::finish() {
  for (const auto &[Exec, G] : Graphs)
    gone(G);
}

/// Host memory that was freed without a CUDA call.
void RecordedCalls::hostMemory(Graph &G, const TraceEvent &E) {
  for (const TraceHost &H : E.Host) {
    if (H.State != "unmapped" && H.State != "returned")
      continue;
    Access Range;
    Range.Address = H.Address;
    Range.Bytes = std::max<uint64_t>(H.Bytes, 1);
    for (const Node &N : G.Nodes)
      if (N.Call &&
          any_of(N.Uses, [&](const Access &A) { return A.overlaps(Range); }))
        addEnding(G, *N.Call, H.State, S.resolve(E.Stack));
  }
}

/// Functions that were active when the node was recorded, but are not active
/// when the same thread makes the launch. A function that is active both times
/// may have been called again.
void RecordedCalls::returned(size_t Call, int64_t Recording,
                             const TraceEvent &E) {
  if (!E.Stack || !Compared.insert({Recording, *E.Stack}).second)
    return;
  const std::vector<Frame> &Then = S.resolve(Recording).Frames;
  const std::vector<Frame> &Here = S.resolve(E.Stack).Frames;
  size_t Same = 0;
  while (Same < Then.size() && Same < Here.size() &&
         sameFrame(Then[Then.size() - 1 - Same], Here[Here.size() - 1 - Same]))
    ++Same;
  // Different calls to one function: it may still be active.
  if (!Same || Same == Then.size() || Same == Here.size())
    return;
  size_t Left = Then.size() - Same;
  if (Then[Left - 1].Function.empty() ||
      Then[Left - 1].Function == Here[Here.size() - 1 - Same].Function)
    --Left;
  for (size_t I = 0; I < Left; ++I) {
    if (!isUserFrame(Then[I]) || Then[I].Function.empty())
      continue;
    addOnce(R.Calls[Call].Returned, Then[I].Function);
    if (any_of(Here,
               [&](const Frame &F) { return F.Function == Then[I].Function; }))
      addOnce(R.Calls[Call].Again, Then[I].Function);
  }
}

void RecordedCalls::ran(const TraceEvent &E) {
  if (!E.SourceLine || E.SourceLine > P.Lines.size())
    return;
  const SourceLine &Of = P.Lines[E.SourceLine - 1];
  auto It = find_if(R.Lines, [&](const SourceLine &L) {
    return L.File == Of.File && L.Line == Of.Line;
  });
  if (It == R.Lines.end())
    return;
  LastRun[unsigned(It - R.Lines.begin())] = Now;
  It->Times += E.Times;
  for (const TraceEvent::Active &A : E.Captures) {
    const Captured &C = Captures[A.Id];
    if (unsigned Id = IdOf(A.Id); Id && C.Begin && C.Begin->Tid == E.Tid)
      addOnce(It->During, Id);
  }
}

} // namespace cudagraph::probe
