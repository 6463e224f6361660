//===- FunctionTables.cpp - Constant tables of functions ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FunctionTables.h.
//
//===----------------------------------------------------------------------===//

#include "FunctionTables.h"
#include "Relevance.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

void FunctionTables::note(const FlowGraph &G, ExprId Place,
                          llvm::StringRef Member, FunctionId F) {
  if (G.Exprs[Place].Kind != ExprKind::Field)
    return;
  auto [It, New] = Rows.try_emplace(G.Exprs[Place].A, NumTables);
  NumTables += New;
  Of[F].push_back({It->second, Member.str()});
}

/// True if \p O, in \p G, passes the object through which it finds the table at
/// \p Place: `unit->ops->start(unit)`.
static bool passesOwner(const FlowGraph &G, const Op &O, ExprId Place) {
  if (O.Args.empty() || O.Args.front().Value == None)
    return false;
  const Expr &First = G.Exprs[O.Args.front().Value];
  for (ExprId E = Place; E != None; E = G.Exprs[E].A) {
    if (First.Kind == ExprKind::AddrOf ? First.A == E
                                       : E == O.Args.front().Value)
      return true;
    ExprKind K = G.Exprs[E].Kind;
    if (K != ExprKind::Field && K != ExprKind::Deref && K != ExprKind::Load)
      return false;
  }
  return false;
}

const std::string *FunctionTables::noteCall(const FlowGraph &G, const Op &O) {
  // An owner calls the deleter of its object. Owners are often destroyed
  // together with graphs, so the deleter may run at any time.
  if (O.Implicit || O.CalleeValue == None ||
      G.Exprs[O.CalleeValue].Kind != ExprKind::Load)
    return nullptr;
  const ExprId Place = G.Exprs[O.CalleeValue].A;
  const std::string *Key = writeKey(G, Place);
  if (Key && !passesOwner(G, O, Place))
    ForOthers.insert(*Key);
  return Key;
}

bool FunctionTables::mayShare(FunctionId A, FunctionId B) const {
  auto X = Of.find(A), Y = Of.find(B);
  return X == Of.end() || Y == Of.end() ||
         llvm::any_of(X->second, [&](const Entry &One) {
           return llvm::any_of(Y->second, [&](const Entry &Other) {
             return One.Table == Other.Table;
           });
         });
}

bool FunctionTables::haveOtherObjects(FunctionId A, FunctionId B) const {
  auto X = Of.find(A), Y = Of.find(B);
  if (X == Of.end() || Y == Of.end() || mayShare(A, B))
    return false;
  auto TypeOf = [](const Entry &Each) {
    return llvm::StringRef(Each.Member).rsplit("::").first;
  };
  const llvm::StringRef Type = TypeOf(X->second.front());
  auto IsOwners = [&](const Entry &Each) {
    return TypeOf(Each) == Type && !ForOthers.contains(Each.Member);
  };
  return llvm::all_of(X->second, IsOwners) && llvm::all_of(Y->second, IsOwners);
}

} // namespace cudagraph
