//===- InitTargets.cpp - The object that an expression initializes --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InitTargets.h"
#include "QualifiedName.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace cudagraph {

InitTargets::InitTargets(const FunctionDecl *Def, const BodyIndex &Index,
                         LocalVariables &Vars, ExprBuilder &Exprs) {
  for (const VarDecl *VD : Index.Initialized)
    if (VD->getType()->isRecordType())
      add(VD->getInit(), Vars.placeOf(VD));
  for (const CXXNewExpr *E : Index.Created)
    add(E->getInitializer(), Exprs.temporary(E, /*OnHeap=*/true));
  const auto *CD = dyn_cast<CXXConstructorDecl>(Def);
  if (!CD)
    return;
  for (const CXXCtorInitializer *I : CD->inits()) {
    ExprId Self = Exprs.deref(Exprs.self());
    if (I->isAnyMemberInitializer())
      add(I->getInit(),
          Exprs.field(Self, canonicalQualifiedName(I->getAnyMember())), true);
    else
      add(I->getInit(), Self, true);
  }
}

void InitTargets::add(const clang::Expr *Init, ExprId Place, bool Member) {
  Init = Init->IgnoreParens();
  while (true) {
    if (const auto *X = dyn_cast<FullExpr>(Init))
      Init = X->getSubExpr();
    else if (const auto *X = dyn_cast<CXXBindTemporaryExpr>(Init)) {
      if (Member)
        Members.insert(X);
      Init = X->getSubExpr();
    } else if (const auto *X = dyn_cast<CXXFunctionalCastExpr>(Init))
      Init = X->getSubExpr();
    else if (const auto *X = dyn_cast<ImplicitCastExpr>(Init);
             X && (X->getCastKind() == CK_NoOp ||
                   X->getCastKind() == CK_ConstructorConversion))
      Init = X->getSubExpr();
    else
      break;
    Init = Init->IgnoreParens();
  }
  if (isa<CXXConstructExpr, InitListExpr>(Init))
    Objects.try_emplace(Init, Place);
}

ExprId InitTargets::find(const clang::Expr *E) const {
  auto It = Objects.find(E);
  return It == Objects.end() ? None : It->second;
}

} // namespace cudagraph
