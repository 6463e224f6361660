//===- Replay.cpp - Graphs, and memory that is freed before them ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replay.h"
#include "ProcessAnalysis.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

std::string hex(uint64_t Address) {
  return "0x" + utohexstr(Address, /*LowerCase=*/true);
}

constexpr int InvalidValue = 1;

auto isType(StringRef Type) {
  return [Type](const TraceNode &N) { return N.Type == Type; };
}

std::string bytes(uint64_t Count) {
  return std::to_string(Count) + (Count == 1 ? " byte" : " bytes");
}

bool isEvent(StringRef Api) { return Api.contains("Event"); }

/// The effect of \p Api on memory.
std::string verb(StringRef Api) {
  return isEvent(Api)                 ? "destroys"
         : Api.contains("Unregister") ? "unregisters"
         : Api.contains("Unmap")      ? "unmaps"
         : Api.contains("Close")      ? "closes"
                                      : "frees";
}

} // namespace

void ReplayAnalysis::take(const TraceEvent &E) {
  switch (E.Kind) {
  case EventKind::Exec:
    return made(E);
  case EventKind::Gone:
    if (auto It = Graphs.find(E.Exec); It != Graphs.end())
      It->second.Gone = true;
    return;
  case EventKind::Free:
    return freed(E);
  case EventKind::Launch:
    return launched(E);
  case EventKind::Work:
    return worked(E);
  case EventKind::Order:
    Unwatched |= E.How == "unwatched";
    return Order.order(E);
  default:
    return;
  }
}

void ReplayAnalysis::made(const TraceEvent &E) {
  Graph &G = Graphs[E.Exec];
  if (E.Node)
    return changed(G, E);
  unsigned Launches = E.IsUpdate ? G.Launches : 0;
  G = Graph();
  G.Made = &E;
  G.Launches = Launches;
  G.Capture = E.Capture;
  G.Nodes = E.Nodes;
  if (auto *C = All.state(E.Capture)) {
    C->Instantiated = true;
    if (C->End && E.Nodes.empty())
      G.Nodes = C->End->Nodes;
  }
  G.Memory = E.Memory;
  G.Uses = accessesOf(G.Nodes, {});
  G.External =
      any_of(G.Nodes, isType("wait")) || any_of(G.Nodes, isType("record"));
  erase_if(G.Uses, [&](const Access &A) {
    return G.Nodes[A.Node].Type == "kernel" &&
           none_of(G.Memory,
                   [&](const TraceRange &R) { return R.holds(A.Address); });
  });
}

/// One node of an exec has different parameters.
void ReplayAnalysis::changed(Graph &G, const TraceEvent &E) {
  if (*E.Node >= G.Nodes.size())
    return;
  erase_if(G.Uses, [&](const Access &A) { return A.Node == *E.Node; });
  G.Memory = E.Memory;
  for (const TraceWord &W : E.Words)
    if (any_of(G.Memory, [&](const TraceRange &R) { return R.holds(W.Value); }))
      G.Uses.push_back({W.Value, 1, modeOf(G.Nodes[*E.Node].Name, W.Param),
                        *E.Node, "argument " + std::to_string(W.Param)});
}

void ReplayAnalysis::freed(const TraceEvent &E) {
  for (uint64_t Id : E.Execs) {
    auto It = Graphs.find(Id);
    if (It == Graphs.end() || It->second.Gone)
      continue;
    Graph &G = It->second;
    uint64_t Address = 0;
    StringRef(E.Address).getAsInteger(0, Address);
    if (StringRef(E.Api).starts_with("nccl")) {
      communicatorEnds(G, E, Address);
      continue;
    }
    const Access *A = use(G, Address, E.Bytes);
    std::string What = isEvent(E.Api) ? "the event "
                       : E.Bytes > 1  ? bytes(E.Bytes) + " at "
                                      : "memory at ";
    size_t Known = All.R.Findings.size();
    size_t Index =
        All.add(kind::FreedMemory, E,
                "'" + E.Api + "' " + verb(E.Api) + " " + What + E.Address +
                    ", which a graph that can still be launched uses" +
                    (A ? " (" + named(G, *A) + ")" : "") +
                    "; no launch was observed after that",
                captureOf(G));
    Finding &F = All.R.Findings[Index];
    if (Index == Known) {
      F.Level = Severity::Remark;
      if (A)
        pointToNode(Index, G, *A);
      if (!G.Capture)
        pointTo(Index, "the graph was instantiated here", *G.Made);
    }
    G.Frees.push_back(Index);
  }
}

/// \p Address is the address that the NCCL kernels receive.
void ReplayAnalysis::communicatorEnds(const Graph &G, const TraceEvent &E,
                                      uint64_t Address) {
  size_t Known = All.R.Findings.size();
  size_t Index = All.add(kind::Communicator, E,
                         "'" + E.Api +
                             "' ends a communicator while a graph holds its "
                             "collectives: NCCL waits for the graph, and the "
                             "process hangs; destroy the graph first",
                         captureOf(G));
  TraceRange Range;
  Range.Base = Address;
  Range.Bytes = 1;
  std::vector<Access> Uses = accessesOf(G.Nodes, Range);
  if (Index == Known && !Uses.empty())
    pointToNode(Index, G, Uses.front());
}

void ReplayAnalysis::launched(const TraceEvent &E) {
  auto It = Graphs.find(E.Exec);
  if (It == Graphs.end())
    return;
  Graph &G = It->second;
  if (E.Code)
    return launchFailed(G, E);
  launchedFreed(G, E);
  for (const TraceHost &H : E.Host)
    hostMemory(G, E, H);
  Recent Now{Order.enqueue(E), G.Uses, &E, &G};
  if (!G.Launches)
    readsEarlier(G, E);
  unordered(Now);
  overwrites(G.Uses, &G);
  ++G.Launches;
  ++G.SinceRead;
  G.Reads.clear();
  G.Last = Now.At;
  G.LastLaunch = &E;
  Going.push_back(std::move(Now));
}

/// CUDA refused the launch. The usual reason for code 1 is that the previous
/// launch allocated memory that has not been freed since.
void ReplayAnalysis::launchFailed(Graph &G, const TraceEvent &E) {
  std::string Name = errorName(E.Code), Code = std::to_string(E.Code);
  bool Allocated =
      E.Code == InvalidValue && G.Launches &&
      count_if(G.Nodes, isType("alloc")) > count_if(G.Nodes, isType("free"));
  size_t Index =
      All.add(kind::FailedLaunch, E,
              "'" + E.Api + "' returned " +
                  (Name.empty() ? Code : Name + " (" + Code + ")") +
                  (Allocated ? ": a previous launch of the graph allocated "
                               "memory that has not been freed"
                             : ": the graph was not launched"),
              captureOf(G));
  Finding &F = All.R.Findings[Index];
  F.Code = E.Code;
  if (!Allocated || !F.Others.empty())
    return;
  for (const auto &[I, N] : enumerate(G.Nodes))
    if (N.Type == "alloc" && N.Stack)
      F.Others.push_back({described(N, I) + ", was recorded here",
                          All.S.resolve(N.Stack), N.Type});
}

/// Memory was freed, and the graph is launched.
void ReplayAnalysis::launchedFreed(Graph &G, const TraceEvent &E) {
  for (size_t Index : G.Frees) {
    Finding &F = All.R.Findings[Index];
    StringRef Message = F.Message;
    if (!Message.consume_back("; no launch was observed after that"))
      continue;
    F.Message = Message.str() + ", and was launched after that" +
                (isEvent(F.Api) ? ""
                                : ": the replay uses whatever is at that "
                                  "address");
    F.Level = Severity::Warning;
    pointTo(Index, "launched here by '" + E.Api + "'", E);
  }
  G.Frees.clear();
}

/// Reports that the contents of host memory differ from those at the previous
/// launch, or at the capture.
void ReplayAnalysis::hostMemory(Graph &G, const TraceEvent &E,
                                const TraceHost &H) {
  if (H.State == "changed")
    return sourceChanged(G, E, H);
  // Memory whose lifetime had ended when the capture ended is already a
  // finding.
  auto *C = All.state(G.Capture);
  if (!G.Reported.insert(H.Address).second ||
      (C && C->End && is_contained(C->End->Dead, hex(H.Address))))
    return;
  const Access *A = use(G, H.Address, H.Bytes);
  bool Host = A && G.Nodes[A->Node].Type == "host";
  std::string Gone = H.State == "unmapped"
                         ? "is unmapped"
                         : "belongs to a function that has returned";
  size_t Index =
      All.add(Host ? kind::FreedMemory : kind::PageableCopy, E,
              "'" + E.Api + "' launches a graph that " +
                  (Host      ? "passes to its host function "
                   : H.Reads ? "reads "
                             : "writes ") +
                  (H.Bytes > 1 ? bytes(H.Bytes) + " of " : "") +
                  "host memory at " + hex(H.Address) + ", which " + Gone,
              captureOf(G));
  All.R.Findings[Index].Level = Severity::Warning;
  if (A)
    pointToNode(Index, G, *A);
}

/// The host wrote memory that a replay copies. It must wait for the previous
/// replay.
void ReplayAnalysis::sourceChanged(Graph &G, const TraceEvent &E,
                                   const TraceHost &H) {
  if (G.Last && !Order.isOver(*G.Last)) {
    size_t Index = All.add(kind::OverwrittenSource, E,
                           "the host has written the " + bytes(H.Bytes) +
                               " at " + hex(H.Address) +
                               " that the graph copies, without waiting for " +
                               "the previous launch" +
                               (E.Busy ? ", which was still running" : "") +
                               ": that replay may have copied the new values",
                           captureOf(G));
    if (!All.R.Findings[Index].Others.empty())
      return;
    if (const Access *A = use(G, H.Address, H.Bytes))
      pointToNode(Index, G, *A);
    if (G.LastLaunch && G.LastLaunch->Stack != E.Stack)
      pointTo(Index, "previously launched here", *G.LastLaunch);
    return;
  }
  if (H.Pinned || !G.Reported.insert(H.Address).second)
    return;
  if (auto *C = All.state(G.Capture))
    for (const auto &[Address, Index] : C->Pageable)
      if (Address == hex(H.Address))
        All.R.Findings[Index].Message +=
            "; it has changed between the capture and a replay";
}

std::vector<uint64_t> ReplayAnalysis::captureOf(const Graph &G) const {
  return G.Capture ? std::vector{G.Capture} : std::vector<uint64_t>();
}

const Access *ReplayAnalysis::use(const Graph &G, uint64_t Address,
                                  uint64_t Bytes) const {
  Access Wanted;
  Wanted.Address = Address;
  Wanted.Bytes = std::max<uint64_t>(Bytes, 1);
  auto It =
      find_if(G.Uses, [&](const Access &A) { return A.overlaps(Wanted); });
  return It == G.Uses.end() ? nullptr : &*It;
}

std::string ReplayAnalysis::named(const Graph &G, const Access &A) const {
  return described(G.Nodes[A.Node], A.Node) + ", " + A.As;
}

void ReplayAnalysis::pointToNode(size_t Finding, const Graph &G,
                                 const Access &A) {
  if (const auto &Stack = G.Nodes[A.Node].Stack)
    All.R.Findings[Finding].Others.push_back(
        {named(G, A) + ", was recorded here", All.S.resolve(Stack),
         G.Nodes[A.Node].Type});
}

void ReplayAnalysis::pointTo(size_t Finding, std::string Message,
                             const TraceEvent &E) {
  All.R.Findings[Finding].Others.push_back(
      {std::move(Message), All.S.resolve(E.Stack)});
}

std::string ReplayAnalysis::stream(const TraceEvent &E) const {
  std::string Text = "stream " + (E.Stream.empty() ? "0x0" : E.Stream);
  return E.StreamKind.empty() ? Text : Text + " (" + E.StreamKind + ")";
}

} // namespace cudagraph::probe
