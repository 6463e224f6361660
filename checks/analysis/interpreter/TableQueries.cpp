//===- TableQueries.cpp - Code that asks a table for a key ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TableQueries.h.
//
//===----------------------------------------------------------------------===//

#include "TableQueries.h"
#include "analysis/domain/Keys.h"
#include "analysis/program/KeyShapes.h"

namespace cudagraph {

using catalogue::Role;

/// True if \p V is the end of a table.
static bool isEndOfTable(const Walk &W, ValueId V) {
  const ValueNode N = W.D[V];
  return N.Kind == ValueKind::Op && W.D.text(N.S) == "library" &&
         W.Rel.rolesOf(static_cast<FunctionId>(N.N)).has(Role::TableEnd);
}

std::optional<bool> asksForKey(Walk &W, Evaluator &Values, const Frame &F,
                               const Op &O, State &S, FunctionId Callee,
                               llvm::ArrayRef<ValueId> Args) {
  Domain &D = W.D;
  if (O.Object != None && Args.size() == 1 &&
      W.Rel.rolesOf(Callee).has(Role::TellsKey))
    return hasKey(D, S,
                  D.element(Values.evalPlace(F, O.Object, S),
                            heldBy(D, S, Args.front()), false));
  llvm::StringRef Name = W.Table.info(Callee).Name;
  if (!isComparison(Name))
    return std::nullopt;
  llvm::SmallVector<ValueId, 2> Sides(Args);
  if (O.Object != None)
    Sides.push_back(
        D.value(ValueKind::Addr, 0, Values.evalPlace(F, O.Object, S)));
  std::optional<bool> Has;
  bool WithEnd = false;
  for (ValueId &Side : Sides) {
    ValueId Iterator = heldBy(D, S, Side);
    WithEnd |= isEndOfTable(W, Iterator);
    if (D[Iterator].Kind == ValueKind::Addr)
      Has = hasKey(D, S, D[Iterator].A);
  }
  if (Sides.size() != 2 || !WithEnd || !Has)
    return std::nullopt;
  return Name.ends_with("!=") ? *Has : !*Has;
}

} // namespace cudagraph
