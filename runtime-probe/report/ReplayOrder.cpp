//===- ReplayOrder.cpp - Replays among other work -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of ReplayAnalysis that compares a launch with launches, copies, and
// reads before and after it.
//
//===----------------------------------------------------------------------===//

#include "ProcessAnalysis.h"
#include "Replay.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

/// More operations than this would make a long trace slow to compare.
constexpr size_t MostGoing = 512;

std::string at(uint64_t Address) {
  return " at 0x" + utohexstr(Address, /*LowerCase=*/true);
}

} // namespace

/// The memory that \p Uses write no longer contains the outputs of graphs other
/// than \p Of.
void ReplayAnalysis::overwrites(ArrayRef<Access> Uses, const Graph *Of) {
  for (auto &[Id, G] : Graphs) {
    if (&G == Of || G.Gone || (!G.SinceRead && G.Reads.empty()))
      continue;
    bool Same = any_of(G.Uses, [&](const Access &Mine) {
      return Mine.writes() && any_of(Uses, [&](const Access &Other) {
               return Other.writes() && Other.overlaps(Mine);
             });
    });
    if (Same)
      G.SinceRead = G.Overwritten = 0, G.Reads.clear();
  }
}

void ReplayAnalysis::worked(const TraceEvent &E) {
  Recent Now{Order.enqueue(E), accessesOf(E), &E};
  unordered(Now);
  overwrites(Now.Uses, nullptr);
  for (const Access &A : Now.Uses)
    if (A.How == Access::Reads)
      readsOutput(E, A);
  for (const Access &A : Now.Uses)
    if (A.writes())
      Written.insert(A.Address);
  if (E.Waits)
    Order.waitFor(Now.At);
  Going.push_back(std::move(Now));
}

/// Compares with all operations that may still be in progress. Work for which
/// the host has waited precedes all later host work.
void ReplayAnalysis::unordered(const Recent &Now) {
  erase_if(Going, [&](const Recent &R) { return Order.isOver(R.At); });
  if (Going.size() > MostGoing)
    Going.erase(Going.begin());
  for (const Recent &Before : Going) {
    // Launches of one exec wait for each other on any stream.
    bool Graphs = Now.Of || Before.Of;
    if (!Graphs || Now.Of == Before.Of || Order.isBefore(Before.At, Now.At))
      continue;
    // Events that the nodes wait for or record may order them.
    if ((Now.Of && Now.Of->External) || (Before.Of && Before.Of->External))
      continue;
    const Access *Mine = nullptr, *Theirs = nullptr;
    for (const Access &A : Now.Uses)
      for (const Access &B : Before.Uses)
        if (!Mine && A.conflicts(B))
          Mine = &A, Theirs = &B;
    if (!Mine)
      continue;
    const Graph &G = Now.Of ? *Now.Of : *Before.Of;
    const Access &Used = Now.Of ? *Mine : *Theirs;
    bool Surely =
        Mine->How != Access::MayWrite && Theirs->How != Access::MayWrite;
    std::string Earlier =
        Before.Of ? "a launch of a graph" : "'" + Before.E->Api + "'";
    std::vector<uint64_t> Ids = captureOf(G);
    if (Now.Of && Before.Of)
      append_range(Ids, captureOf(*Before.Of));
    size_t Index = All.add(
        kind::Unordered, *Now.E,
        "'" + Now.E->Api + "' on " + stream(*Now.E) + " is not ordered after " +
            Earlier + " on " + stream(*Before.E) + ": one " +
            (Surely ? "writes" : "may write") + " the memory" +
            at(Used.Address) + " that the other uses (" + named(G, Used) + ")",
        Ids);
    if (!All.R.Findings[Index].Others.empty())
      return;
    pointTo(Index, "not ordered after this", *Before.E);
    pointToNode(Index, G, Used);
    return;
  }
}

/// True if the memory was allocated during captures, as the memory in the pool
/// of PyTorch's graphs is. Only graphs write such memory.
bool ReplayAnalysis::isOfPool(const Graph &G, uint64_t Address) const {
  auto *C = All.state(G.Capture);
  return C && C->End && any_of(C->End->Pool, [&](const TraceRange &R) {
           return R.holds(Address);
         });
}

/// The first launch of a graph that reads memory that an earlier graph writes,
/// before that graph was launched.
void ReplayAnalysis::readsEarlier(Graph &G, const TraceEvent &E) {
  if (Unwatched || !G.Capture)
    return;
  for (auto &[Id, Other] : Graphs) {
    if (Other.Launches || Other.Gone || !Other.Capture ||
        Other.Capture >= G.Capture)
      continue;
    std::set<uint64_t> Own; // memory that the graph itself has written before
    for (const Access &A : G.Uses) {
      if (A.How != Access::Reads || Own.count(A.Address)) {
        Own.insert(A.Address);
        continue;
      }
      auto Makes = [&](const Access &B) { return B.writes() && A.overlaps(B); };
      auto It = find_if(Other.Uses, Makes);
      if (It == Other.Uses.end() || Written.count(A.Address))
        continue;
      size_t Index =
          All.add(kind::ReplayOrder, E,
                  "'" + E.Api +
                      "' launches a graph before the graph that was captured "
                      "earlier and writes the memory that it reads" +
                      at(A.Address) + " (" + named(G, A) + ")",
                  {G.Capture, Other.Capture});
      Finding &F = All.R.Findings[Index];
      if (F.Others.empty()) {
        // The program may have written other memory before its captures.
        if (!isOfPool(Other, A.Address))
          F.Level = Severity::Remark;
        pointToNode(Index, G, A);
        pointToNode(Index, Other, *It);
      }
      return;
    }
  }
}

/// True if the graph reads the memory before it writes it: a replay continues
/// with the values of the previous one, and the program needs only the last.
static bool isState(ArrayRef<Access> Uses, const Access &Memory) {
  for (const Access &A : Uses)
    if (A.How != Access::Unknown && A.overlaps(Memory))
      return A.How == Access::Reads;
  return false;
}

/// Every replay writes the same memory, so the result of a replay must be read
/// before the next one.
void ReplayAnalysis::readsOutput(const TraceEvent &E, const Access &A) {
  for (auto &[Id, G] : Graphs) {
    if (G.Gone || isState(G.Uses, A) || none_of(G.Uses, [&](const Access &B) {
          return B.writes() && A.overlaps(B);
        }))
      continue;
    if (G.Reads.empty())
      G.Overwritten = G.SinceRead;
    G.SinceRead = 0;
    unsigned Times = ++G.Reads[A.Address];
    if (G.Overwritten < 2 || Times != G.Overwritten)
      continue;
    size_t Index =
        All.add(kind::OverwrittenOutput, E,
                "'" + E.Api + "' reads the output" + at(A.Address) +
                    " for the " + std::to_string(Times) +
                    (Times == 2   ? "nd"
                     : Times == 3 ? "rd"
                                  : "th") +
                    " time after " + std::to_string(Times) +
                    " replays, each of which overwrote the output of the "
                    "previous one: copy it before the next launch",
                captureOf(G));
    if (All.R.Findings[Index].Others.empty() && G.LastLaunch)
      pointTo(Index, "the last of the replays is launched here", *G.LastLaunch);
  }
}

} // namespace cudagraph::probe
