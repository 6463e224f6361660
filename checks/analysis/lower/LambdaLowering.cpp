//===- LambdaLowering.cpp - Lambda expressions ----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LambdaLowering.h"
#include "Instances.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace cudagraph {

/// The contents of the capture \p C, initialized by \p Init.
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

/// The call operator of \p E; for a generic lambda, the first instance in the
/// unit, which the others override. None if nothing calls it.
static FunctionId callOperator(ExprLowering &L, const LambdaExpr *E) {
  const CXXMethodDecl *M = E->getCallOperator();
  if (!M)
    return None;
  if (!E->isGenericLambda())
    return L.Table.idOf(M);
  const CXXMethodDecl *First = nullptr;
  if (const FunctionTemplateDecl *Template = M->getDescribedFunctionTemplate())
    for (const FunctionDecl *FD : instancesOf(Template))
      if (const auto *Each = dyn_cast<CXXMethodDecl>(FD);
          Each && Each->hasBody()) {
        if (First)
          L.Table.addOverride(Each, First);
        else
          First = Each;
      }
  return First ? L.Table.idOf(First) : None;
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
  return L.Exprs.closure(Closure, callOperator(L, E));
}

} // namespace cudagraph
