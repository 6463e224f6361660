//===- FailureTests.cpp - Conditions and returns of failure
//----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FailureTests.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace cudagraph {

using catalogue::Role;

/// True for the type of API results whose zero means success.
bool FailureTests::isStatusType(QualType T) const {
  const auto *ET = T.getCanonicalType()->getAs<EnumType>();
  return ET && Names.of(ET->getDecl()).has(Role::StatusResult);
}

bool FailureTests::isZero(const clang::Expr *E) const {
  clang::Expr::EvalResult V;
  return !E->isValueDependent() && E->EvaluateAsInt(V, Ctx) &&
         V.Val.getInt() == 0;
}

/// True for a failure by its name: err == cudaErrorMemoryAllocation.
bool FailureTests::isFailureCode(const clang::Expr *E) const {
  const auto *DRE = dyn_cast<DeclRefExpr>(E);
  const auto *Code = DRE ? dyn_cast<EnumConstantDecl>(DRE->getDecl()) : nullptr;
  return Code && !Names.catalogue().is(Role::PendingStatus, Code->getName());
}

std::optional<bool>
FailureTests::comparisonFailsWhen(const BinaryOperator *E) const {
  if (!E->isEqualityOp())
    return std::nullopt;
  const clang::Expr *L = E->getLHS()->IgnoreParenImpCasts();
  const clang::Expr *R = E->getRHS()->IgnoreParenImpCasts();
  if (!isStatusType(L->getType()) && !isStatusType(R->getType()))
    return std::nullopt;
  if (isZero(L) || isZero(R))
    return E->getOpcode() == BO_NE;
  if (isFailureCode(L) || isFailureCode(R))
    return E->getOpcode() == BO_EQ;
  return std::nullopt;
}

std::optional<bool> FailureTests::failsWhen(const clang::Expr *Cond) const {
  Cond = Cond->IgnoreParenImpCasts();
  if (const auto *FE = dyn_cast<FullExpr>(Cond))
    Cond = FE->getSubExpr()->IgnoreParenImpCasts();
  if (const auto *UO = dyn_cast<UnaryOperator>(Cond);
      UO && UO->getOpcode() == UO_LNot) {
    std::optional<bool> Inner = failsWhen(UO->getSubExpr());
    return Inner ? std::optional(!*Inner) : std::nullopt;
  }
  // __builtin_expect and friends.
  if (const auto *CE = dyn_cast<CallExpr>(Cond))
    if (const FunctionDecl *FD = CE->getDirectCallee();
        FD && FD->getBuiltinID() == Builtin::BI__builtin_expect)
      return failsWhen(CE->getArg(0));
  if (const auto *BO = dyn_cast<BinaryOperator>(Cond))
    return comparisonFailsWhen(BO);
  return isStatusType(Cond->getType()) ? std::optional(true) : std::nullopt;
}

bool FailureTests::isFailureReturn(const CFGBlock *B) const {
  for (const CFGElement &E : *B)
    if (auto S = E.getAs<CFGStmt>())
      if (const auto *RS = dyn_cast<ReturnStmt>(S->getStmt())) {
        const clang::Expr *V = RS->getRetValue();
        if (!V)
          return false;
        V = V->IgnoreParenImpCasts();
        clang::Expr::EvalResult R;
        if (V->isValueDependent() || V->getType()->isRecordType())
          return false;
        // A status that is not success, or a negative number. Booleans, null
        // and other enumerators are answers as often as failures.
        if (isStatusType(V->getType()))
          return !V->EvaluateAsInt(R, Ctx) || R.Val.getInt() != 0;
        return V->getType()->isIntegerType() && V->EvaluateAsInt(R, Ctx) &&
               R.Val.getInt().isSigned() && R.Val.getInt().isNegative();
      }
  return false;
}

} // namespace cudagraph
