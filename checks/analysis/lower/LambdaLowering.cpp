//===- LambdaLowering.cpp - Lambda expressions ----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LambdaLowering.h"

using namespace clang;

namespace cudagraph {

/// What the capture \p C, initialized by \p Init, holds.
static ExprId capturedValue(ExprLowering &L, const LambdaCapture &C,
                            const clang::Expr *Init) {
  if (C.capturesThis()) {
    ExprId Own =
        C.getCaptureKind() == LCK_StarThis ? L.Exprs.unknown() : L.Exprs.self();
    return L.Body.Captures.hasThis() ? L.Body.Captures.thisPointer() : Own;
  }
  if (!Init)
    return L.Exprs.unknown();
  return C.getCaptureKind() == LCK_ByRef ? L.Exprs.addrOf(L.place(Init))
                                         : L.value(Init);
}

ExprId lowerLambda(ExprLowering &L, const LambdaExpr *E) {
  ExprId Closure = L.Exprs.temporary(E);
  unsigned Index = 0;
  auto Init = E->capture_init_begin();
  for (const LambdaCapture &C : E->captures()) {
    Op O;
    O.Place = L.Exprs.field(Closure, C.capturesThis()
                                         ? LambdaCaptures::nameOfThis()
                                         : LambdaCaptures::nameOf(Index));
    O.Value = capturedValue(L, C, *Init);
    L.Out.add(std::move(O));
    ++Index;
    ++Init;
  }
  FunctionId Callee = None;
  if (const CXXMethodDecl *M = E->getCallOperator(); M && !E->isGenericLambda())
    Callee = L.Table.idOf(M);
  return L.Exprs.closure(Closure, Callee);
}

} // namespace cudagraph
