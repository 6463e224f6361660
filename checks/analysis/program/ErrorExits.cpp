//===- ErrorExits.cpp - Blocks that report an error and return ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GraphShapes.h.
//
//===----------------------------------------------------------------------===//

#include "GraphShapes.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

bool GraphShapes::isErrorExit(const Block &B) {
  if (B.EarlyExit || !B.EarlyReturn)
    return B.EarlyExit;
  auto [It, New] = ErrorExits.try_emplace(&B, false);
  if (!New)
    return It->second;
  bool Talks = false;
  for (const Op &O : B.Ops) {
    if (O.Kind != OpKind::Call || O.Callee == None)
      continue;
    const catalogue::Entry *E = Rel.entryFor(O.Callee);
    if (E && E->Does != Effect::HostIO && E->Does != Effect::Neutral)
      return false;
    Talks |= E ? E->Does == Effect::HostIO : isLogger(O.Callee);
  }
  return It->second = Talks;
}

/// True for the functions of the compiler that handle variable arguments.
static bool isVariadicHelper(llvm::StringRef Name) {
  return Name.starts_with("__builtin_va_") || Name.starts_with("__va_list");
}

bool GraphShapes::isLogger(FunctionId F) const {
  const FlowGraph *G = Table.info(F).IsSystem ? nullptr : Table.graph(F);
  if (!G)
    return false;
  bool Talks = false;
  for (const Block &B : G->Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::EndLife || O.Kind == OpKind::Return ||
          (O.Kind == OpKind::Assign && G->Exprs[O.Place].Kind == ExprKind::Var))
        continue;
      if (O.Kind != OpKind::Call || O.Callee == None)
        return false;
      const catalogue::Entry *E = Rel.entryFor(O.Callee);
      if (E ? E->Does != Effect::HostIO && E->Does != Effect::Neutral
            : !isVariadicHelper(Table.info(O.Callee).Name))
        return false;
      Talks |= E && E->Does == Effect::HostIO;
    }
  return Talks;
}

} // namespace cudagraph
