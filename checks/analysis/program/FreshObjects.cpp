//===- FreshObjects.cpp - Objects that a function has just created --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FreshObjects.h.
//
//===----------------------------------------------------------------------===//

#include "FreshObjects.h"

namespace cudagraph {

using catalogue::Effect;

FreshObjects::FreshObjects(const Relevance &R, const FlowGraph &G) : G(G) {
  llvm::DenseSet<int64_t> Made, Others; // results, variables
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Call && O.Callee != None && O.ResultIndex != None)
        if (const catalogue::Entry *E = R.entryFor(O.Callee);
            E &&
            (E->Does == Effect::AllocHost || E->has(catalogue::Trait::Makes)))
          Made.insert(O.ResultIndex);
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind != OpKind::Assign && O.Kind != OpKind::Modify)
        continue;
      const Expr &To = G.Exprs[O.Place];
      if (To.Kind != ExprKind::Var || To.N < G.NumParams)
        continue;
      const Expr &V = G.Exprs[O.Value];
      bool Null = V.Kind == ExprKind::Int && V.N == 0;
      bool New =
          (V.Kind == ExprKind::Result && Made.contains(V.N)) ||
          (V.Kind == ExprKind::AddrOf && G.Exprs[V.A].Kind == ExprKind::Temp &&
           G.Exprs[V.A].S == "heap");
      if (New)
        Pointers.insert(To.N);
      else if (!Null)
        Others.insert(To.N);
    }
  for (int64_t Each : Others)
    Pointers.erase(Each);
}

bool FreshObjects::has(ExprId Place) const {
  while (true) {
    const Expr &E = G.Exprs[Place];
    if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Elem) {
      Place = E.A;
      continue;
    }
    if (E.Kind == ExprKind::Temp && E.S == "heap")
      return true; // its initializers
    if (E.Kind != ExprKind::Deref || G.Exprs[E.A].Kind != ExprKind::Load)
      return false;
    const Expr &Var = G.Exprs[G.Exprs[E.A].A];
    return Var.Kind == ExprKind::Var && Pointers.contains(Var.N);
  }
}

} // namespace cudagraph
