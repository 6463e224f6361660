//===- GraphPasses.cpp - Passes over a whole flow graph -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphPasses.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

void dropIdleEnds(FlowGraph &G) {
  llvm::BitVector Taken(G.Vars.size());
  llvm::SmallDenseSet<int64_t, 8> TakenTemps;
  for (const Expr &E : G.Exprs) {
    if (E.Kind != ExprKind::AddrOf)
      continue;
    ExprId P = E.A;
    while (G.Exprs[P].Kind == ExprKind::Field ||
           G.Exprs[P].Kind == ExprKind::Elem)
      P = G.Exprs[P].A;
    if (G.Exprs[P].Kind == ExprKind::Var)
      Taken.set(G.Exprs[P].N);
    else if (G.Exprs[P].Kind == ExprKind::Temp)
      TakenTemps.insert(G.Exprs[P].N);
  }
  for (Block &B : G.Blocks) {
    // All variables end when the function returns.
    size_t Last = B.Ops.size();
    if (llvm::all_of(B.Succs, [&](const Edge &E) { return E.To == G.Exit; }))
      while (Last && B.Ops[Last - 1].Kind == OpKind::EndLife)
        --Last;
    size_t Index = 0;
    llvm::erase_if(B.Ops, [&](const Op &O) {
      bool Returns = Index++ >= Last;
      if (O.Kind != OpKind::EndLife)
        return false;
      const Expr &Place = G.Exprs[O.Place];
      if (Place.Kind == ExprKind::Temp)
        return !TakenTemps.contains(Place.N);
      return Place.Kind == ExprKind::Var && Returns && !Taken[Place.N];
    });
  }
}

/// True if \p Whole is computed from \p Part.
static bool isComputedFrom(const FlowGraph &G, ExprId Whole, ExprId Part) {
  if (Whole == None || G.Exprs[Whole].Kind != ExprKind::Op)
    return false;
  const Expr &E = G.Exprs[Whole];
  return E.A == Part || E.B == Part || isComputedFrom(G, E.A, Part) ||
         isComputedFrom(G, E.B, Part);
}

void findSteps(FlowGraph &G) {
  llvm::DenseMap<ExprId, std::pair<unsigned, Op *>> Writes; // by place
  for (Block &B : G.Blocks)
    for (Op &O : B.Ops)
      if (O.Place != None &&
          (O.Kind == OpKind::Assign || O.Kind == OpKind::Modify)) {
        auto &[Times, First] = Writes[O.Place];
        if (!Times++)
          First = &O;
      }
  auto OnlyWrite = [&](ExprId Place) {
    auto It = Writes.find(Place);
    return It == Writes.end() || It->second.first != 1 ? nullptr
                                                       : It->second.second;
  };
  llvm::SmallDenseSet<ExprId, 8> Taken; // variables whose address is taken
  for (const Expr &E : G.Exprs)
    if (E.Kind == ExprKind::AddrOf)
      Taken.insert(E.A);
  for (auto &[Place, Each] : Writes) {
    ExprKind K = G.Exprs[Place].Kind;
    Op *Step = OnlyWrite(Place);
    if (!Step || Step->Kind != OpKind::Assign || Step->Value == None ||
        (K != ExprKind::Field && K != ExprKind::Global))
      continue;
    const Expr &Value = G.Exprs[Step->Value];
    if (Value.Kind != ExprKind::Load || Taken.contains(Value.A) ||
        G.Exprs[Value.A].Kind != ExprKind::Var ||
        G.Exprs[Value.A].N < static_cast<int64_t>(G.NumParams))
      continue;
    const Op *Next = OnlyWrite(Value.A);
    if (!Next || Next->Kind != OpKind::Assign)
      continue;
    for (ExprId Old = 0; Old < G.Exprs.size(); ++Old)
      if (G.Exprs[Old].Kind == ExprKind::Load && G.Exprs[Old].A == Place &&
          isComputedFrom(G, Next->Value, Old)) {
        Step->Kind = OpKind::Modify;
        Step->Value = Next->Value;
        break;
      }
  }
}

void propagateNeverReturns(FlowGraph &G) {
  std::vector<bool> ReachesExit(G.Blocks.size(), false);
  std::vector<std::vector<unsigned>> Preds(G.Blocks.size());
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    if (!G.Blocks[B].NeverReturns)
      for (const Edge &E : G.Blocks[B].Succs)
        Preds[E.To].push_back(B);
  std::vector<unsigned> Work{G.Exit};
  ReachesExit[G.Exit] = true;
  while (!Work.empty()) {
    unsigned B = Work.back();
    Work.pop_back();
    for (unsigned P : Preds[B])
      if (!ReachesExit[P]) {
        ReachesExit[P] = true;
        Work.push_back(P);
      }
  }
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    if (!ReachesExit[B])
      G.Blocks[B].NeverReturns = true;
}

void findLiveResults(FlowGraph &G) {
  std::vector<unsigned> Home(G.NumCalls, None);
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    for (const Op &O : G.Blocks[B].Ops)
      if (O.Kind == OpKind::Call && O.ResultIndex != None)
        Home[O.ResultIndex] = B;
  G.LiveResults.assign(G.NumCalls, false);
  // Expressions are shared: each is visited once for each block.
  std::vector<unsigned> SeenIn(G.Exprs.size(), None);
  for (unsigned B = 0; B < G.Blocks.size(); ++B) {
    std::vector<ExprId> Work;
    auto Use = [&](ExprId E) {
      if (E != None && SeenIn[E] != B) {
        SeenIn[E] = B;
        Work.push_back(E);
      }
    };
    for (const Op &O : G.Blocks[B].Ops) {
      for (ExprId E : {O.Place, O.Value, O.CalleeValue, O.Object})
        Use(E);
      for (const std::vector<CallArg> *List : {&O.Args, &O.Config, &O.Pointers})
        for (const CallArg &A : *List)
          Use(A.Value);
    }
    Use(G.Blocks[B].Cond);
    while (!Work.empty()) {
      const Expr &E = G.Exprs[Work.back()];
      Work.pop_back();
      if (E.Kind == ExprKind::Result && Home[E.N] != B)
        G.LiveResults[E.N] = true;
      for (ExprId Sub : {E.A, E.B, E.C})
        Use(Sub);
    }
  }
}

} // namespace cudagraph
