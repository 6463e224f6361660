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
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if \p G makes a call to a method of \p Container for which \p Role is
/// the container.
static bool changes(const FlowGraph &G, const Relevance &Rel, ExprId Container,
                    const char *Role) {
  return llvm::any_of(G.Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      const catalogue::Entry *E =
          O.Kind == OpKind::Call && O.Callee != None && O.Object == Container
              ? Rel.entryFor(O.Callee)
              : nullptr;
      return E && E->arg(Role);
    });
  });
}

/// True if \p G advances the contents of \p P, an index or an offset.
static bool isAdvanced(const FlowGraph &G, ExprId P) {
  return llvm::any_of(G.Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      return O.Kind == OpKind::Modify && O.Place == P && !isTurn(G, O.Value, P);
    });
  });
}

bool takesOut(const FlowGraph &G, const Relevance &Rel, ExprId Place) {
  if (isAdvanced(G, Place) || changes(G, Rel, Place, "removes"))
    return true;
  for (ExprId P = Place;
       G.Exprs[P].Kind == ExprKind::Elem || G.Exprs[P].Kind == ExprKind::Field;
       P = G.Exprs[P].A) {
    const Expr &E = G.Exprs[P];
    if (E.Kind != ExprKind::Elem)
      continue;
    ExprId Index = E.B == None ? None : readAt(G, E.B);
    if (changes(G, Rel, E.A, "removes") ||
        (Index != None && isAdvanced(G, Index)))
      return true;
  }
  return false;
}

/// The name of the container \p Place, also of one to which a local variable
/// refers; nullptr if it has none.
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
      const FlowGraph *G = Table.graph(F);
      bool Returns = G && !Table.info(F).IsSystem &&
                     llvm::any_of(G->Blocks, [](const Block &B) {
                       return llvm::any_of(B.Ops, [](const Op &O) {
                         return O.Kind == OpKind::Return && O.Value != None;
                       });
                     });
      if (!Returns)
        continue;
      for (ExprId P = 0; P < G->Exprs.size(); ++P) {
        const Expr &E = G->Exprs[P];
        if (E.Kind != ExprKind::Elem || !takesOut(*G, Rel, P) ||
            changes(*G, Rel, E.A, "adds") ||
            changes(*G, Rel, E.A, "storage")) // it only changes the order
          continue;
        if (const std::string *Pool = nameOf(*G, E.A))
          Names->insert(*Pool);
      }
    }
  }
  return Names->contains(Name);
}

} // namespace cudagraph
