//===- Places.cpp - Whose storage a place is ------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Places.h"

namespace cudagraph {

bool copiesMember(const FlowGraph &G, const Op &O) {
  const Expr &To = G.Exprs[O.Place], &V = G.Exprs[O.Value];
  if (To.Kind != ExprKind::Field || V.Kind != ExprKind::Load)
    return false;
  const Expr &From = G.Exprs[V.A];
  return From.Kind == ExprKind::Field && From.S == To.S && From.A != To.A;
}

bool isLocalPlace(const FlowGraph &G, ExprId Place) {
  const Expr *E = &G.Exprs[Place];
  while (E->Kind == ExprKind::Field || E->Kind == ExprKind::Elem)
    E = &G.Exprs[E->A];
  return E->Kind == ExprKind::Var || E->Kind == ExprKind::Temp;
}

bool endsForGood(const FlowGraph &G, ExprId Object) {
  const Expr *E = &G.Exprs[Object];
  while (E->Kind == ExprKind::Elem)
    E = &G.Exprs[E->A];
  if (E->Kind == ExprKind::Deref) {
    const Expr *Pointer = &G.Exprs[E->A];
    if (Pointer->Kind == ExprKind::Op && Pointer->S == LastOwnerOp)
      Pointer = &G.Exprs[Pointer->A];
    if (Pointer->Kind == ExprKind::Load)
      E = &G.Exprs[Pointer->A];
  }
  while (E->Kind == ExprKind::Elem || E->Kind == ExprKind::Field) {
    if (E->Kind == ExprKind::Field)
      return !isLocalPlace(G, E - G.Exprs.data());
    E = &G.Exprs[E->A];
  }
  return E->Kind == ExprKind::Global;
}

} // namespace cudagraph
