//===- Settlement.cpp - Changes that a launch does not miss ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph of several, in a table, may be the one for the values of now. An
// update gives nodes these values. A comparison with what the program
// remembers of the last capture or update shows that a value is still the same.
//
//===----------------------------------------------------------------------===//

#include "ChangeModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

void ChangeModel::noteEqual(const Frame &F, State &S, ExprId X, ExprId Y) {
  if (S.Changes.empty() || X == None || Y == None)
    return;
  const FlowGraph &G = *F.Graph;
  auto Remembers = [&](ExprId Copy, ExprId Of) {
    ExprId Place =
        G.Exprs[Copy].Kind == ExprKind::Load ? G.Exprs[Copy].A : None;
    return Place != None && llvm::any_of(G.Blocks, [&](const Block &B) {
             return llvm::any_of(B.Ops, [&](const Op &O) {
               return O.Kind == OpKind::Assign && O.Place == Place &&
                      O.Value == Of;
             });
           });
  };
  ExprId Now = Remembers(X, Y) ? Y : Remembers(Y, X) ? X : None;
  if (Now == None)
    return;
  Inputs::Places Same = Inputs(W, Use.Calls).of(F, Now, S);
  S.Changes.eraseIf([&](const FactMap::Item &I) {
    return llvm::any_of(Same, [&](const Inputs::Input &Each) {
      return overlap(D, Each.Place, Changes[I.Key].At);
    });
  });
  S.Unsettled = !S.Changes.empty();
}

/// The table that \p C adds to holds the graphs that it is given.
void ChangeModel::filed(const Call &C, const State &S) {
  auto Note = [&](CaptureId X) { Nodes.InTables.insert(X); };
  for (ValueId Given : C.Args) {
    if (Given == None)
      continue;
    eachGraph(D, Given, Note);
    if (D[Given].Kind != ValueKind::Addr)
      continue;
    LocId Object = D.root(D[Given].A);
    for (const Memory::Item &I : S.Mem)
      if (D.root(I.Key) == Object)
        eachGraph(D, I.Data, Note);
  }
}

/// Graphs \p Of captures that an element holds, whichever function has put them
/// there.
void ChangeModel::noteTables(const State &S, llvm::ArrayRef<CaptureId> Of) {
  for (const Memory::Item &I : S.Mem) {
    LocId L = I.Key;
    while (D.at(L).Kind == LocKind::Field)
      L = D.at(L).A;
    if (D.at(L).Kind == LocKind::Elem && isOneOfGraphs(D, S, L))
      eachGraph(D, I.Data, [&](CaptureId X) {
        if (llvm::is_contained(Of, X))
          Nodes.InTables.insert(X);
      });
  }
}

/// Places whose contents \p C gives to a node: those that an argument is
/// computed from, or that a structure or an array among them points to.
Inputs::Places ChangeModel::givenBy(const Call &C, State &S) {
  Inputs Sources(W, Use.Calls);
  Inputs::Places Given;
  std::optional<unsigned> Node = C.indexOf("node");
  if (!Node)
    return Given;
  for (unsigned I = *Node + 1; I < C.Args.size() && I < C.O.Args.size(); ++I) {
    llvm::append_range(Given, Sources.of(C.F, C.O.Args[I].Value, S));
    if (D[C.Args[I]].Kind != ValueKind::Addr)
      continue;
    llvm::SmallVector<LocId, 4> Roots{D.root(D[C.Args[I]].A)};
    for (unsigned R = 0; R < Roots.size() && R < 4; ++R)
      for (const Memory::Item &Each : Memory(S.Mem))
        if (D.root(Each.Key) == Roots[R] &&
            D[Each.Data].Kind == ValueKind::Addr) {
          LocId At = D[Each.Data].A;
          Given.push_back({At});
          llvm::append_range(Given, Sources.behind(C.F, At, S));
          if (!llvm::is_contained(Roots, D.root(At)))
            Roots.push_back(D.root(At));
        }
  }
  return Given;
}

/// A graph that ends before it was instantiated is never launched.
void ChangeModel::dropped(const Call &C, State &S) {
  ValueId G = held(S, C.arg("graph"));
  if (G == None || D[G].Kind != ValueKind::Graph)
    return;
  auto Gone = [&](CaptureId X) { return W.sameCapture(X, D[G].A); };
  // Who instantiates it elsewhere is not seen.
  if (llvm::none_of(Nodes.Instantiated, Gone))
    return;
  for (const Memory::Item &I : S.Mem) {
    bool Lives = false;
    D.visitTree(I.Data, [&](ValueId Part) {
      Lives |= D[Part].Kind == ValueKind::Exec && Gone(D[Part].A);
    });
    if (Lives)
      return;
  }
  S.Captured.eraseIf([&](const FactMap::Item &I) { return Gone(I.Key); });
  S.Changes.eraseIf(
      [&](const FactMap::Item &I) { return Gone(Changes[I.Key].Of); });
  S.Unsettled = !S.Changes.empty();
}

/// Nodes of a graph are given other values: all of them, or those of one node.
void ChangeModel::updated(Call &C, State &S) {
  Inputs::Places Given = givenBy(C, S);
  for (const Inputs::Input &I : Given)
    Nodes.UpdatedPlaces.insert(I.Place);
  if (Given.empty())
    for (ValueId A : C.Args)
      D.visitTree(held(S, A), [&](ValueId Part) {
        if (D[Part].Kind == ValueKind::Graph || D[Part].Kind == ValueKind::Exec)
          Nodes.Fresh.insert(D[Part].A);
      });
  S.Changes.eraseIf([&](const FactMap::Item &I) {
    return Given.empty() || llvm::any_of(Given, [&](const Inputs::Input &X) {
             return overlap(D, X.Place, Changes[I.Key].At);
           });
  });
  S.Unsettled = !S.Changes.empty();
}

} // namespace cudagraph
