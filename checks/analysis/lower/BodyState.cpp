//===- BodyState.cpp - The state of lowering one function -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyState.h"

using namespace clang;

namespace cudagraph {

/// Numbers the parameters of \p Def before any other variable.
static LocalVariables withParameters(const FunctionDecl *Def, FlowGraph &G,
                                     ExprBuilder &Exprs, LibraryNames &Names) {
  LocalVariables Vars(G.Vars, Exprs, Names);
  for (const ParmVarDecl *P : Def->parameters())
    Vars.number(P);
  G.NumParams = G.Vars.size();
  return Vars;
}

BodyState::BodyState(const FunctionDecl *Def, FunctionTable &Table,
                     FlowGraph &G)
    : Def(Def), Table(Table), Names(Table.names()), Ctx(Table.context()), G(G),
      Exprs(G.Exprs), Vars(withParameters(Def, G, Exprs, Names)),
      Captures(Def, Exprs), Index(Def->getBody(), Ctx),
      Targets(Def, Index, Vars, Exprs) {}

} // namespace cudagraph
