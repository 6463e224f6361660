//===- Exchanges.cpp - Functions that exchange values ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// std::swap and std::exchange.
//
//===----------------------------------------------------------------------===//

#include "CallLowering.h"

using namespace clang;

namespace cudagraph {

ExprId CallLowering::swap() {
  ExprId A = L.place(E->getArg(0)), B = L.place(E->getArg(1));
  ExprId T = Exprs.temporary(E);
  // Two variables alternate, as do two members or elements of one object.
  ExprKind K = Exprs[A].Kind;
  bool TakeTurns = A != B && K == Exprs[B].Kind &&
                   (K == ExprKind::Global || K == ExprKind::Var ||
                    ((K == ExprKind::Field || K == ExprKind::Elem) &&
                     Exprs[A].A == Exprs[B].A));
  auto Assign = [&](ExprId Place, ExprId From) {
    Op O;
    O.Kind = TakeTurns ? OpKind::Modify : OpKind::Assign;
    O.Implicit = !TakeTurns;
    O.Place = Place;
    O.Value = Exprs.load(From);
    if (TakeTurns)
      O.Range = where();
    L.Out.add(std::move(O));
  };
  L.Out.assign(T, Exprs.load(A), {});
  Assign(A, B);
  Assign(B, T);
  return Exprs.unknown();
}

/// The old value of the first argument, which receives the second one.
ExprId CallLowering::exchange() {
  ExprId Place = L.place(E->getArg(0)), Old = Exprs.temporary(E);
  const clang::Expr *Given = E->getArg(1);
  bool Number = Given->getType()->isArithmeticType();
  if (const auto *Made = dyn_cast<MaterializeTemporaryExpr>(Given);
      Made && Number)
    Given = Made->getSubExpr();
  ExprId New = Number ? L.value(Given) : L.argument(Given);
  L.Out.assign(Old, Exprs.load(Place), {});
  if (Number && Exprs.isComputedFrom(New, Exprs.load(Place))) {
    Op O; // the next number of a sequence
    O.Kind = OpKind::Modify;
    O.Range = where();
    O.Place = Place;
    O.Value = New;
    L.Out.add(std::move(O));
  } else {
    L.Out.assign(Place, New, Exprs.isConstant(New) ? where() : Span());
  }
  return Exprs.load(Old);
}

} // namespace cudagraph
