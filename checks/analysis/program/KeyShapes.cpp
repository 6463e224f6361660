//===- KeyShapes.cpp - The form of keys of graphs -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See KeyShapes.h.
//
//===----------------------------------------------------------------------===//

#include "KeyShapes.h"

namespace cudagraph {

ExprId variableOf(const FlowGraph &G, ExprId Id) {
  while (Id != None && (G.Exprs[Id].Kind == ExprKind::Field ||
                        G.Exprs[Id].Kind == ExprKind::Elem))
    Id = G.Exprs[Id].A;
  bool Named = Id != None && (G.Exprs[Id].Kind == ExprKind::Var ||
                              G.Exprs[Id].Kind == ExprKind::Temp);
  return Named ? Id : None;
}

llvm::SmallVector<unsigned, 4> variablesIn(const FlowGraph &G, ExprId Id) {
  llvm::SmallVector<unsigned, 4> Found;
  llvm::SmallVector<ExprId, 8> Work{Id};
  for (unsigned I = 0; I < Work.size() && I < 16; ++I) {
    if (Work[I] == None)
      continue;
    const Expr &E = G.Exprs[Work[I]];
    if (E.Kind == ExprKind::Var)
      Found.push_back(E.N);
    Work.append({E.A, E.B, E.C});
  }
  return Found;
}

bool isComparison(llvm::StringRef Name) {
  return Name.ends_with("==") || Name.ends_with("!=");
}

bool isOfRange(const FlowGraph &G, ExprId Id) {
  if (Id == None)
    return false;
  const Expr &E = G.Exprs[Id];
  if (E.Kind == ExprKind::Load || E.Kind == ExprKind::AddrOf)
    return isOfRange(G, E.A);
  return E.Kind == ExprKind::Var && static_cast<size_t>(E.N) < G.Vars.size() &&
         llvm::StringRef(G.Vars[E.N].Name).starts_with("__begin");
}

bool fills(const Relevance &R, const Op &O) {
  const catalogue::Entry *E = R.entryFor(O.Callee);
  return E && catalogue::isHostEffect(E->Does) &&
         !E->has(catalogue::Trait::Table);
}

} // namespace cudagraph
