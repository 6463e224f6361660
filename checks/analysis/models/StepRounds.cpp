//===- StepRounds.cpp - How often captured code changes a place -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A change that is undone before the capture ends has no effect. An example is
// a switch that is flipped an even number of times. See StepModel.h.
//
//===----------------------------------------------------------------------===//

#include "StepModel.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// The number of runs of the current block of \p F for each run of block \p
/// From; 0 if unknown. If \p OneOfMany, the innermost loop calls each of
/// several callables, and this one once.
uint64_t StepModel::roundsIn(const Frame &F, unsigned From,
                             bool OneOfMany) const {
  const FlowGraph &G = *F.Graph;
  uint64_t Rounds = 1;
  unsigned Inner = F.Block;
  for (const LoopRange &L : loopsAround(G, F.Block)) {
    if (L.Head <= From && From <= L.Last && From)
      break; // the region is within this loop
    auto It = LoopRounds.find({F.Function, L.Head});
    bool Known = It != LoopRounds.end() && It->second;
    if (!Known && !OneOfMany)
      return 0;
    if (Inner != L.Head && !Shapes.passesEachRound(&G, Inner))
      return 0;
    if (Known)
      Rounds *= It->second;
    else
      OneOfMany = false;
    Inner = L.Head;
  }
  return Shapes.mustReach(&G, From, Inner) ? Rounds : 0;
}

/// The number of runs of the current block of \p F in the region; 0 if unknown.
/// \p Path is a number for the calls that lead to it.
uint64_t StepModel::roundsOf(const Frame &F, const State &S,
                             uint64_t &Path) const {
  const CaptureRecord &R = Result.Captures[S.Active.front()];
  uint64_t Rounds = 1;
  bool OneOfMany = false;
  for (const Frame *A = &F; A; A = A->Parent) {
    bool Home = A->Function == R.Home;
    Rounds *= roundsIn(*A, Home ? R.HomeBlock : 0, OneOfMany);
    // The same applies to an object in a container.
    OneOfMany =
        A->Uncertain || (A->CallSite && A->CallSite->How == Dispatch::Virtual);
    if (Home || !A->CallSite)
      break;
    Path = llvm::hash_combine(Path, A->CallSite->Range.Begin,
                              A->CallSite->ResultIndex);
  }
  return Rounds;
}

/// True if the region may run the current block of \p F more than once.
bool StepModel::mayRepeat(const Frame &F, const State &S) const {
  const CaptureRecord &R = Result.Captures[S.Active.front()];
  for (const Frame *A = &F; A; A = A->Parent) {
    bool Home = A->Function == R.Home;
    if (A->Uncertain ||
        llvm::any_of(loopsAround(*A->Graph, A->Block), [&](const LoopRange &L) {
          return !Home || R.HomeBlock < L.Head || L.Last < R.HomeBlock;
        }))
      return true;
    if (Home)
      break;
  }
  return false;
}

void StepModel::noteLoop(const Frame &F, State &S) {
  std::optional<CountedLoop> Loop = countedLoop(*F.Graph, F.Block);
  if (!Loop)
    return;
  auto Number = [&](ExprId E) -> std::optional<int64_t> {
    const Expr &X = F.Graph->Exprs[E];
    if (X.Kind == ExprKind::Int)
      return X.N;
    if (X.Kind != ExprKind::Load)
      return std::nullopt;
    return D.asInt(read(D, S, Use.Calls.evalPlace(F, X.A, S)));
  };
  std::optional<int64_t> First =
      D.asInt(read(D, S, Use.Calls.evalPlace(F, Loop->Var, S)));
  std::optional<int64_t> Last = Number(Loop->Bound);
  if (!First)
    return; // a later iteration
  uint64_t Rounds =
      Last ? Loop->rounds(*First, *Last).value_or(0) : uint64_t(0);
  auto [It, New] = LoopRounds.try_emplace({F.Function, F.Block}, Rounds);
  if (!New && It->second != Rounds)
    It->second = 0;
}

/// True if \p End is the result of one change to \p Begin, not a choice of
/// values.
static bool isOneTurn(const Domain &D, ValueId Begin, ValueId End) {
  const ValueNode N = D[End];
  if (N.Kind == ValueKind::Op)
    return N.A == Begin || N.B == Begin;
  return N.Kind != ValueKind::Phi && N.Kind != ValueKind::Opaque;
}

StepModel::Net StepModel::netOf(const State &S, LocId L, ValueId Begin,
                                const Step &Of) const {
  ValueId End = S.SteppedTo.lookup(L).value_or(None);
  std::optional<int64_t> First = D.asInt(Begin), Last;
  if (End != None)
    Last = D.asInt(End);
  if (First && Last)
    return *First == *Last ? Net::Same : Net::Differs;
  if (Last) // it is reset, so each capture starts with this number
    return Net::Same;
  if (Begin == End || Of.Kind == How::Sets)
    return Net::Same;
  if (Of.Kind == How::Steps)
    return Net::Differs;
  // Paths that skip the change have a separate state, or have made this one a
  // choice of values.
  if (Of.Rounds.size() == 1 && !Of.Repeats && End != None &&
      isOneTurn(D, Begin, End))
    return Net::Differs;
  uint64_t Sum = 0;
  for (auto [Path, Rounds] : Of.Rounds) {
    if (!Rounds)
      return Net::MayDiffer;
    Sum += Rounds;
  }
  return Sum % 2 ? Net::Differs : Net::Same;
}

} // namespace cudagraph
