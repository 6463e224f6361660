//===- EqualValues.cpp - Values that are those of the capture -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See EqualValues.h.
//
//===----------------------------------------------------------------------===//

#include "EqualValues.h"
#include "NodeTable.h"
#include "analysis/program/Limits.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

void EqualValues::noteSame(State &S, ValueId X, ValueId Y) {
  if (S.Changes.empty() || X == None || Y == None || D.asInt(X) || D.asInt(Y))
    return;
  S.Changes.eraseIf([&](const FactMap::Item &I) {
    ValueId To = Changes.changeAt(I.Key).To;
    return To == X || To == Y;
  });
  Changes.settle(S);
}

void EqualValues::noteEqual(const Frame &F, State &S, ExprId X, ExprId Y) {
  if (S.Changes.empty() || X == None || Y == None)
    return;
  const FlowGraph &G = *F.Graph;
  // A place that is set to the current value, which the key contains, has not
  // changed.
  auto IsKey = [&](ExprId Copy) {
    ExprId Place =
        G.Exprs[Copy].Kind == ExprKind::Load ? G.Exprs[Copy].A : None;
    const WriteSummary *Writes =
        Place != None && G.Exprs[Place].Kind == ExprKind::Field
            ? Rel.writes(G.Exprs[Place].S)
            : nullptr;
    return Writes && Writes->IsKey;
  };
  ValueId Held = None;
  if (ExprId Of = IsKey(Y)   ? X
                  : IsKey(X) ? Y
                             : None;
      Of != None && G.Exprs[Of].Kind == ExprKind::Load)
    Held = read(D, S, Calls.evalPlace(F, G.Exprs[Of].A, S));
  unchanged(S, Compared.ifEqual(F, X, Y, S), Held);
}

void EqualValues::noteEqualObjects(const Frame &F, State &S, int64_t Index,
                                   bool Truth) {
  if (S.Changes.empty())
    return;
  for (const Block &B : F.Graph->Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind != OpKind::Call || O.ResultIndex != Index ||
          O.Callee == None ||
          !Table.info(O.Callee).Name.ends_with(Truth ? "==" : "!="))
        continue;
      llvm::SmallVector<ExprId, 2> Pair;
      if (O.Object != None)
        Pair.push_back(O.Object);
      for (const CallArg &A : O.Args)
        Pair.push_back(A.Value);
      if (Pair.size() == 2)
        noteEqual(F, S, Pair[0], Pair[1]);
    }
}

void EqualValues::noteDecided(State &S, llvm::ArrayRef<ValueId> Equal) {
  const Comparisons::Unchanged *First = S.Changes.empty() || Equal.empty()
                                            ? nullptr
                                            : Compared.ifTrue(Equal.front());
  if (!First)
    return;
  Comparisons::Unchanged Same = *First;
  for (ValueId Each : Equal.drop_front()) {
    const Comparisons::Unchanged *Other = Compared.ifTrue(Each);
    llvm::erase_if(Same.Places, [&](const Inputs::Input &I) {
      return !Other ||
             llvm::none_of(Other->Places, [&](const Inputs::Input &X) {
               return X.Place == I.Place;
             });
    });
  }
  unchanged(S, Same);
}

void EqualValues::noteCompared(const Frame &F, State &S, ExprId E,
                               Comparisons::Evaluate Eval) {
  if (S.Changes.empty())
    return;
  for (const Comparisons::Unchanged &Same : Compared.note(F, E, S, Eval))
    unchanged(S, Same);
}

/// The contents of the places of \p Same, and of places with the value \p Held,
/// are those of the capture.
void EqualValues::unchanged(State &S, const Comparisons::Unchanged &Same,
                            ValueId Held) {
  // If there are more changes, calls share walks regardless of which graphs the
  // changes concern.
  const bool Few = S.Changes.size() <= MaxOnGraphs;
  S.Changes.eraseIf([&](const FactMap::Item &I) {
    const ChangeList::Entry C = Changes.changeAt(I.Key);
    if (Held != None && !D.asInt(Held) && C.To == Held)
      return true;
    return llvm::any_of(Same.Places,
                        [&](const Inputs::Input &Each) {
                          return overlap(D, Each.Place, C.At);
                        }) &&
           (!Few || C.Of == EarlierCapture ||
            Compared.concerns(Same, Result.Captures[C.Of].Home));
  });
  Changes.settle(S);
}

} // namespace cudagraph
