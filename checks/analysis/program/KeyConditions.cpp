//===- KeyConditions.cpp - Conditions that select no graph ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function tests the keys of its graph before it begins a capture. Other
// conditions there only compute or prepare something, or skip the launch.
//
//===----------------------------------------------------------------------===//

#include "CaptureKeys.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// The blocks that only one result of the condition of \p B executes, if both
/// results continue at the same block after at most one block each.
static llvm::SmallVector<unsigned, 2> armsOf(const FlowGraph &G,
                                             const Block &B) {
  if (B.Succs.size() != 2)
    return {};
  auto After = [&](unsigned Branch) {
    const std::vector<Edge> &Next = G.Blocks[Branch].Succs;
    return Next.size() == 1 ? Next[0].To : None;
  };
  unsigned One = B.Succs[0].To, Other = B.Succs[1].To;
  if (After(One) == Other)
    return {One};
  if (After(Other) == One)
    return {Other};
  if (After(One) != None && After(One) == After(Other))
    return {One, Other};
  return {};
}

/// Adds \p Id in \p G, and its parts, to \p Parts.
static void addParts(const FlowGraph &G, ExprId Id,
                     llvm::SmallDenseSet<ExprId, 16> &Parts) {
  if (Id == None || !Parts.insert(Id).second)
    return;
  for (ExprId Each : {G.Exprs[Id].A, G.Exprs[Id].B, G.Exprs[Id].C})
    addParts(G, Each, Parts);
}

/// True if \p B of \p G only determines the contents of local variables that no
/// condition uses, as with `a ? 1 : 2`: it does not determine a graph.
bool Relevance::Keys::onlyComputes(const FlowGraph &G, const Block &B) const {
  llvm::SmallVector<unsigned, 2> Branches = armsOf(G, B);
  if (Branches.empty())
    return false;
  llvm::SmallDenseSet<ExprId, 16> Asked;
  for (const Block &Each : G.Blocks)
    addParts(G, Each.Cond, Asked);
  return llvm::all_of(Branches, [&](unsigned Branch) {
    return llvm::all_of(G.Blocks[Branch].Ops, [&](const Op &O) {
      if (O.Kind == OpKind::Assign)
        return variableOf(G, O.Place) == O.Place && !Asked.count(O.Place);
      return O.Kind == OpKind::Call && O.Callee != None &&
             !(R.bits(O.Callee) & (Opens | Drops | Defines | Unknown));
    });
  });
}

/// True if one branch of \p B of \p G only leaves the function, and the other
/// launches a graph: the condition determines whether there is anything to do,
/// not which graph does it.
bool Relevance::Keys::skipsLaunch(const FlowGraph &G, const Block &B) const {
  if (B.Succs.size() != 2)
    return false;
  enum { Launches = 1, Acts = 2 };
  auto After = [&](unsigned From) {
    int Found = 0;
    llvm::BitVector Seen(G.Blocks.size());
    llvm::SmallVector<unsigned, 16> Work{From};
    while (!Work.empty()) {
      unsigned Next = Work.pop_back_val();
      if (Seen.test(Next))
        continue;
      Seen.set(Next);
      for (const Op &O : G.Blocks[Next].Ops) {
        if (O.Kind == OpKind::Assign || O.Kind == OpKind::Modify)
          Found |= writeKey(G, O.Place) ? Acts : 0;
        if (O.Kind != OpKind::Call)
          continue;
        const catalogue::Entry *E =
            O.Callee == None ? nullptr : R.entryFor(O.Callee);
        if (E && E->Does == Effect::GraphLaunch)
          Found |= Launches;
        if (O.Callee == None ||
            R.bits(O.Callee) & (Opens | Drops | Defines | Works | Unknown))
          Found |= Acts;
      }
      for (const Edge &E : G.Blocks[Next].Succs)
        if (!E.Failure)
          Work.push_back(E.To);
    }
    return Found;
  };
  int One = After(B.Succs[0].To), Other = After(B.Succs[1].To);
  return (!One && Other & Launches) || (!Other && One & Launches);
}

/// True if \p B of \p F only determines whether memory or other state is
/// prepared, as with `if (count == capacity) grow();`: its branches neither
/// capture nor drop a graph, and set nothing that another condition of \p F
/// tests.
bool Relevance::Keys::onlyPrepares(FunctionId F, const Block &B) const {
  const FlowGraph &G = *R.Table.graph(F);
  llvm::SmallVector<unsigned, 2> Arms = armsOf(G, B);
  if (Arms.empty())
    return false;
  // The functions that the branches call, directly or indirectly.
  llvm::SmallVector<FunctionId, 16> Called;
  for (unsigned Arm : Arms)
    for (const Op &O : G.Blocks[Arm].Ops) {
      if (O.Kind != OpKind::Call)
        continue;
      if (O.Callee == None || R.bits(O.Callee) & (Opens | Drops | Unknown))
        return false;
      if (const catalogue::Entry *E = R.entryFor(O.Callee))
        if (isForGraph(E->Does) || boundsCapture(E->Does) ||
            E->Does == Effect::HostMutate)
          return false;
      Called.push_back(O.Callee);
    }
  if (Called.empty())
    return false;
  constexpr unsigned MaxCalled = 64;
  for (unsigned I = 0; I < Called.size(); ++I) {
    if (Called.size() > MaxCalled)
      return false;
    for (FunctionId Each : R.calleesOf(Called[I]))
      if (!llvm::is_contained(Called, Each))
        Called.push_back(Each);
  }
  // The values that the other conditions test, except those that handle errors.
  llvm::SmallDenseSet<ExprId, 16> Tested;
  auto HandlesErrors = [&](const Edge &E) {
    return E.Failure || G.Blocks[E.To].NeverReturns;
  };
  for (const Block &Each : G.Blocks)
    if (&Each != &B && !llvm::any_of(Each.Succs, HandlesErrors))
      addParts(G, Each.Cond, Tested);
  std::set<std::string, std::less<>> Names;
  for (ExprId Id : Tested)
    if (const std::string *Name = writeKey(G, Id))
      Names.insert(*Name);
  auto SetsTested = [&](const Op &O) {
    if (O.Kind != OpKind::Assign && O.Kind != OpKind::Modify)
      return false;
    const std::string *Name = writeKey(G, O.Place);
    return Name ? Names.count(*Name) != 0 : Tested.contains(O.Place);
  };
  auto IsCalled = [&](FunctionId In) { return llvm::is_contained(Called, In); };
  auto IsIn = [&](const WriteSummary::Change &C) { return IsCalled(C.In); };
  return llvm::none_of(Arms,
                       [&](unsigned Arm) {
                         return llvm::any_of(G.Blocks[Arm].Ops, SetsTested);
                       }) &&
         llvm::none_of(Names, [&](const std::string &Name) {
           const WriteSummary *W = R.writes(Name);
           return W && (llvm::any_of(W->Writers, IsCalled) ||
                        llvm::any_of(W->Resets, IsCalled) ||
                        llvm::any_of(W->Setters, IsIn) ||
                        llvm::any_of(W->Steppers, IsIn));
         });
}

} // namespace cudagraph
