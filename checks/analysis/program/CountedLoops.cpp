//===- CountedLoops.cpp - Loops that count to a bound ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CountedLoops.h.
//
//===----------------------------------------------------------------------===//

#include "CountedLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

llvm::SmallVector<LoopRange, 2> loopsAround(const FlowGraph &G,
                                            unsigned Block) {
  llvm::SmallVector<LoopRange, 2> Loops;
  for (unsigned B = Block; B < G.Blocks.size(); ++B)
    for (const Edge &E : G.Blocks[B].Succs) {
      if (E.To > Block || E.To > B)
        continue;
      auto Same = llvm::find_if(
          Loops, [&](const LoopRange &L) { return L.Head == E.To; });
      if (Same == Loops.end())
        Loops.push_back({E.To, B});
      else
        Same->Last = B;
    }
  llvm::sort(Loops, [](const LoopRange &A, const LoopRange &B) {
    return A.Head > B.Head;
  });
  return Loops;
}

std::optional<uint64_t> CountedLoop::rounds(int64_t First, int64_t Last) const {
  constexpr int64_t Far = int64_t(1) << 40;
  if (First < -Far || First > Far || Last < -Far || Last > Far || !Step)
    return std::nullopt;
  int64_t Distance = Step > 0 ? Last - First : First - Last;
  int64_t Each = Step > 0 ? Step : -Step;
  if (Inclusive)
    ++Distance;
  return Distance <= 0 ? 0
                       : static_cast<uint64_t>((Distance + Each - 1) / Each);
}

/// The constant that \p O adds to the contents of its place; 0 for any other
/// operation.
static int64_t stepOf(const FlowGraph &G, const Op &O) {
  if (O.Kind != OpKind::Modify || O.Value == None)
    return 0;
  const Expr &E = G.Exprs[O.Value];
  if (E.Kind != ExprKind::Op || E.A == None || E.B == None ||
      (E.S != "+" && E.S != "-"))
    return 0;
  auto IsVar = [&](ExprId X) {
    return G.Exprs[X].Kind == ExprKind::Load && G.Exprs[X].A == O.Place;
  };
  if (IsVar(E.A) && G.Exprs[E.B].Kind == ExprKind::Int)
    return E.S == "+" ? G.Exprs[E.B].N : -G.Exprs[E.B].N;
  if (IsVar(E.B) && E.S == "+" && G.Exprs[E.A].Kind == ExprKind::Int)
    return G.Exprs[E.A].N;
  return 0;
}

std::optional<CountedLoop> countedLoop(const FlowGraph &G, unsigned Head) {
  ExprId Cond = G.Blocks[Head].Cond;
  if (Cond == None || G.Exprs[Cond].Kind != ExprKind::Op)
    return std::nullopt;
  const Expr &Test = G.Exprs[Cond];
  bool Up = Test.S == "<" || Test.S == "<=",
       Down = Test.S == ">" || Test.S == ">=";
  if ((!Up && !Down && Test.S != "!=") || Test.A == None || Test.B == None)
    return std::nullopt;
  auto Variable = [&](ExprId E) {
    const Expr &X = G.Exprs[E];
    return X.Kind == ExprKind::Load && G.Exprs[X.A].Kind == ExprKind::Var
               ? X.A
               : None;
  };
  CountedLoop Loop;
  Loop.Inclusive = Test.S == "<=" || Test.S == ">=";
  unsigned Last = Head;
  for (const LoopRange &L : loopsAround(G, Head))
    if (L.Head == Head)
      Last = L.Last;
  for (bool Turned : {false, true}) {
    Loop.Var = Variable(Turned ? Test.B : Test.A);
    Loop.Bound = Turned ? Test.A : Test.B;
    Loop.Step = 0;
    if (Loop.Var == None)
      continue;
    unsigned Writes = 0;
    for (unsigned B = Head; B <= Last; ++B)
      for (const Op &O : G.Blocks[B].Ops)
        if ((O.Kind == OpKind::Assign || O.Kind == OpKind::Modify) &&
            O.Place == Loop.Var) {
          ++Writes;
          Loop.Step = stepOf(G, O);
        }
    bool Towards = Test.S == "!=" || (Loop.Step > 0) == (Up != Turned);
    if (Writes == 1 && Loop.Step && Towards)
      return Loop;
  }
  return std::nullopt;
}

/// Adds the local variables that \p E reads to \p Read. \returns false if it
/// also has other inputs.
static bool addReads(const FlowGraph &G, ExprId E,
                     llvm::SmallVectorImpl<ExprId> &Read, unsigned Depth = 0) {
  if (E == None)
    return true;
  const Expr &X = G.Exprs[E];
  if (X.Kind == ExprKind::Load && G.Exprs[X.A].Kind == ExprKind::Var) {
    Read.push_back(X.A);
    return true;
  }
  return Depth < 8 &&
         (X.Kind == ExprKind::Int ||
          (X.Kind == ExprKind::Op && addReads(G, X.A, Read, Depth + 1) &&
           addReads(G, X.B, Read, Depth + 1)));
}

std::optional<SteppedLoop> steppedLoop(const FlowGraph &G, unsigned Head) {
  llvm::SmallVector<ExprId, 4> Read;
  if (G.Blocks[Head].Cond == None || !addReads(G, G.Blocks[Head].Cond, Read))
    return std::nullopt;
  unsigned Last = Head;
  for (const LoopRange &L : loopsAround(G, Head))
    if (L.Head == Head)
      Last = L.Last;
  // Every iteration must change the variable once: in the block that returns to
  // the head.
  auto ChangeOf = [&](ExprId Var, unsigned &Count) {
    const Op *Change = nullptr;
    for (unsigned B = Head; B <= Last; ++B)
      for (const Op &O : G.Blocks[B].Ops) {
        bool Passed = llvm::any_of(O.Args, [&](const CallArg &A) {
          const Expr &X = G.Exprs[A.Value];
          return A.Written && X.Kind == ExprKind::AddrOf && X.A == Var;
        });
        bool Sets = (O.Kind == OpKind::Assign || O.Kind == OpKind::Modify) &&
                    O.Place == Var;
        if (!Passed && !Sets)
          continue;
        Change = &O;
        Count += Passed || B != Last ? 2 : 1;
      }
    return Change;
  };
  SteppedLoop Loop;
  for (unsigned I = 0; I < Read.size(); ++I) {
    if (Read[I] == Loop.Var)
      continue;
    unsigned Count = 0;
    const Op *Change = ChangeOf(Read[I], Count);
    if (!Change)
      continue;
    if (Count != 1 || Loop.Var != None || !addReads(G, Change->Value, Read))
      return std::nullopt;
    Loop = {Read[I], Change->Value};
  }
  return Loop.Var == None ? std::nullopt : std::optional(Loop);
}

bool isLoopHead(const FlowGraph &G, unsigned Head) {
  for (unsigned B = Head; B < G.Blocks.size(); ++B)
    if (llvm::any_of(G.Blocks[B].Succs,
                     [&](const Edge &E) { return E.To == Head; }))
      return true;
  return false;
}

} // namespace cudagraph
