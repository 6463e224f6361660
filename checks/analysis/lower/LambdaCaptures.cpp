//===- LambdaCaptures.cpp - The captures of a lambda ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LambdaCaptures.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/LambdaCapture.h"

using namespace clang;

namespace cudagraph {

LambdaCaptures::LambdaCaptures(const FunctionDecl *Def, ExprBuilder &Exprs)
    : Exprs(Exprs) {
  const auto *M = dyn_cast<CXXMethodDecl>(Def);
  if (!M || !M->getParent()->isLambda())
    return;
  unsigned Index = 0;
  for (const LambdaCapture &C : M->getParent()->captures()) {
    if (C.capturesThis())
      HasThis = true;
    else if (C.capturesVariable())
      Captured[C.getCapturedVar()] = {Index, C.getCaptureKind() == LCK_ByRef};
    ++Index;
  }
}

std::string LambdaCaptures::nameOf(unsigned Index) {
  return "capture " + std::to_string(Index);
}

ExprId LambdaCaptures::placeOf(const ValueDecl *D) {
  auto It = Captured.find(D);
  if (It == Captured.end())
    return None;
  ExprId Member =
      Exprs.field(Exprs.deref(Exprs.self()), nameOf(It->second.Index));
  return It->second.ByReference || D->getType()->isReferenceType()
             ? Exprs.deref(Exprs.load(Member))
             : Member;
}

ExprId LambdaCaptures::thisPointer() {
  ExprId Self = Exprs.self();
  return HasThis ? Exprs.load(Exprs.field(Exprs.deref(Self), nameOfThis()))
                 : Self;
}

} // namespace cudagraph
