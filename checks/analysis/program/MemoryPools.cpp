//===- MemoryPools.cpp - Pools from which functions take memory -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MemoryPools.h.
//
//===----------------------------------------------------------------------===//

#include "MemoryPools.h"
#include "Alternation.h"
#include "llvm/ADT/DenseSet.h"

namespace cudagraph {

namespace {
/// The changes that one function makes to containers, indexes, and offsets.
struct Pooling {
  llvm::DenseSet<ExprId> Removes, Adds; ///< the containers
  llvm::DenseSet<ExprId> Advances;      ///< indexes, offsets
  bool Returns = false;                 ///< the function has a result

  Pooling(const FlowGraph &G, const Relevance &Rel) {
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops)
        note(G, Rel, O);
  }

  /// True if the function takes the contents of \p Place out of a pool.
  bool takesOut(const FlowGraph &G, ExprId Place) const {
    if (Advances.contains(Place) || Removes.contains(Place))
      return true;
    for (ExprId P = Place; G.Exprs[P].Kind == ExprKind::Elem ||
                           G.Exprs[P].Kind == ExprKind::Field;
         P = G.Exprs[P].A) {
      const Expr &E = G.Exprs[P];
      if (E.Kind != ExprKind::Elem)
        continue;
      ExprId Index = E.B == None ? None : readAt(G, E.B);
      if (Removes.contains(E.A) || (Index != None && Advances.contains(Index)))
        return true;
    }
    return false;
  }

private:
  void note(const FlowGraph &G, const Relevance &Rel, const Op &O) {
    Returns |= O.Kind == OpKind::Return && O.Value != None;
    if (O.Kind == OpKind::Modify && !isTurn(G, O.Value, O.Place))
      Advances.insert(O.Place);
    const catalogue::Entry *E =
        O.Kind == OpKind::Call && O.Callee != None && O.Object != None
            ? Rel.entryFor(O.Callee)
            : nullptr;
    if (E && E->arg("removes"))
      Removes.insert(O.Object);
    if (E && (E->arg("adds") || E->arg("storage")))
      Adds.insert(O.Object);
  }
};
} // namespace

bool takesOut(const FlowGraph &G, const Relevance &Rel, ExprId Place) {
  return Pooling(G, Rel).takesOut(G, Place);
}

/// The name of the container \p Place, or of the one to which the local
/// variable \p Place refers; nullptr if it has none.
static const std::string *nameOf(const FlowGraph &G, ExprId Place) {
  const Expr &E = G.Exprs[Place];
  if (E.Kind != ExprKind::Deref || G.Exprs[E.A].Kind != ExprKind::Load)
    return writeKey(G, Place);
  ExprId Var = G.Exprs[E.A].A;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Assign && O.Place == Var &&
          G.Exprs[O.Value].Kind == ExprKind::AddrOf)
        return writeKey(G, G.Exprs[O.Value].A);
  return nullptr;
}

bool MemoryPools::contains(llvm::StringRef Name) {
  if (!Names) {
    Names.emplace();
    for (FunctionId F = 0; F < Table.size(); ++F) {
      // A function without effects is not decoded.
      const FlowGraph *G = Rel.bits(F) ? Table.graph(F) : nullptr;
      if (!G || Table.info(F).IsSystem)
        continue;
      Pooling Of(*G, Rel);
      if (!Of.Returns || (Of.Removes.empty() && Of.Advances.empty()))
        continue;
      for (ExprId P = 0; P < G->Exprs.size(); ++P) {
        const Expr &E = G->Exprs[P];
        if (E.Kind != ExprKind::Elem || !Of.takesOut(*G, P) ||
            Of.Adds.contains(E.A)) // it only changes the order
          continue;
        if (const std::string *Pool = nameOf(*G, E.A))
          Names->insert(*Pool);
      }
    }
  }
  return Names->contains(Name);
}

} // namespace cudagraph
