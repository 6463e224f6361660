//===- LowerShape.cpp - Shapes that mean failure --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Error checks, early returns of a failure and blocks that never return are
// recognised here by their shape, once for each function.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace cudagraph {

/// Propagates NeverReturns backwards: a block all of whose successors never
/// return does not return either.
void Lowerer::findFailureShape() {
  std::vector<bool> ReachesExit(G.Blocks.size(), false);
  std::vector<std::vector<unsigned>> Preds(G.Blocks.size());
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    if (!G.Blocks[B].NeverReturns)
      for (const Edge &E : G.Blocks[B].Succs)
        Preds[E.To].push_back(B);
  std::vector<unsigned> Work{G.Exit};
  ReachesExit[G.Exit] = true;
  while (!Work.empty()) {
    unsigned B = Work.back();
    Work.pop_back();
    for (unsigned P : Preds[B])
      if (!ReachesExit[P]) {
        ReachesExit[P] = true;
        Work.push_back(P);
      }
  }
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    if (!ReachesExit[B])
      G.Blocks[B].NeverReturns = true;
}

/// Marks the call results that are used in another block than their own.
void Lowerer::findKeptResults() {
  std::vector<unsigned> Home(G.NumCalls, None);
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    for (const Op &O : G.Blocks[B].Ops)
      if (O.Kind == OpKind::Call && O.ResultIndex != None)
        Home[O.ResultIndex] = B;
  G.KeptResults.assign(G.NumCalls, false);
  // Expressions are shared: visit each once a block.
  std::vector<unsigned> SeenIn(G.Exprs.size(), None);
  for (unsigned B = 0; B < G.Blocks.size(); ++B) {
    std::vector<ExprId> Work;
    auto Use = [&](ExprId E) {
      if (E != None && SeenIn[E] != B) {
        SeenIn[E] = B;
        Work.push_back(E);
      }
    };
    for (const Op &O : G.Blocks[B].Ops) {
      for (ExprId E : {O.Place, O.Value, O.CalleeValue, O.Object})
        Use(E);
      for (const CallArg &A : O.Args)
        Use(A.Value);
      for (const CallArg &A : O.Config)
        Use(A.Value);
    }
    Use(G.Blocks[B].Cond);
    while (!Work.empty()) {
      const Expr &E = G.Exprs[Work.back()];
      Work.pop_back();
      if (E.Kind == ExprKind::Result && Home[E.N] != B)
        G.KeptResults[E.N] = true;
      for (ExprId Sub : {E.A, E.B, E.C})
        Use(Sub);
    }
  }
}

/// The type of API results whose zero means success.
bool Lowerer::isStatusType(QualType T) const {
  const auto *ET = T.getCanonicalType()->getAs<EnumType>();
  return ET && Names.of(ET->getDecl()).has(catalogue::Role::StatusResult);
}

/// True if \p Cond asks whether a status differs from success; \p WhenTrue
/// says which way the failure lies.
bool Lowerer::isFailureTest(const clang::Expr *Cond, bool &WhenTrue) const {
  Cond = Cond->IgnoreParenImpCasts();
  if (const auto *FE = dyn_cast<FullExpr>(Cond))
    Cond = FE->getSubExpr()->IgnoreParenImpCasts();
  if (const auto *UO = dyn_cast<UnaryOperator>(Cond);
      UO && UO->getOpcode() == UO_LNot) {
    bool R = isFailureTest(UO->getSubExpr(), WhenTrue);
    WhenTrue = !WhenTrue;
    return R;
  }
  // __builtin_expect and friends.
  if (const auto *CE = dyn_cast<CallExpr>(Cond))
    if (const FunctionDecl *FD = CE->getDirectCallee();
        FD && FD->getBuiltinID() == Builtin::BI__builtin_expect)
      return isFailureTest(CE->getArg(0), WhenTrue);
  if (const auto *BO = dyn_cast<BinaryOperator>(Cond)) {
    if (!BO->isEqualityOp())
      return false;
    const clang::Expr *L = BO->getLHS()->IgnoreParenImpCasts();
    const clang::Expr *R = BO->getRHS()->IgnoreParenImpCasts();
    if (!isStatusType(L->getType()) && !isStatusType(R->getType()))
      return false;
    auto IsZero = [&](const clang::Expr *E) {
      clang::Expr::EvalResult V;
      return !E->isValueDependent() && E->EvaluateAsInt(V, Ctx) &&
             V.Val.getInt() == 0;
    };
    if (IsZero(L) || IsZero(R)) {
      WhenTrue = BO->getOpcode() == BO_NE;
      return true;
    }
    // A failure by its name: err == cudaErrorMemoryAllocation.
    auto IsFailure = [&](const clang::Expr *E) {
      const auto *DRE = dyn_cast<DeclRefExpr>(E);
      const auto *Code =
          DRE ? dyn_cast<EnumConstantDecl>(DRE->getDecl()) : nullptr;
      return Code && !Names.catalogue().is(catalogue::Role::PendingStatus,
                                           Code->getName());
    };
    WhenTrue = BO->getOpcode() == BO_EQ;
    return IsFailure(L) || IsFailure(R);
  }
  if (const auto *BO = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
      !BO && isStatusType(Cond->getType())) {
    WhenTrue = true;
    return true;
  }
  return false;
}

/// Error paths that log to stderr and leave are recognised by their shape: a
/// conditional block that ends in a return of a constant.
bool Lowerer::isFailureReturn(const CFGBlock *B) const {
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

/// The condition that decides after \p Cond, one side of && or ||, was
/// computed. There, what stands last in it has the same value as all of it: the
/// terms before it have decided nothing. In long conditions, this one is taken,
/// or the conditions of a function would be as large as the square of its size.
static const clang::Expr *lastTerm(const clang::Expr *Cond) {
  constexpr unsigned ManyTerms = 32;
  const clang::Expr *Last = Cond;
  llvm::SmallVector<const clang::Expr *, 32> Work{Cond};
  unsigned Terms = 0;
  while (!Work.empty() && Terms < ManyTerms) {
    const auto *B =
        dyn_cast<BinaryOperator>(Work.pop_back_val()->IgnoreParens());
    if (!B || !B->isLogicalOp()) {
      ++Terms;
      continue;
    }
    Work.push_back(B->getLHS());
    Work.push_back(B->getRHS());
  }
  if (Work.empty())
    return Cond;
  while (const auto *B = dyn_cast<BinaryOperator>(Last->IgnoreParens())) {
    if (!B->isLogicalOp())
      break;
    Last = B->getRHS();
  }
  return Last;
}

void Lowerer::lowerTerminator(const CFGBlock *B, Block &Out) {
  if (B->pred_size() == 1) {
    const CFGBlock *Pred = B->pred_begin()->getReachableBlock();
    if (Pred && Pred->succ_size() > 1) {
      Out.EarlyExit = isFailureReturn(B);
      Out.EarlyReturn = llvm::any_of(
          Out.Ops, [](const Op &O) { return O.Kind == OpKind::Return; });
    }
  }
  if (B->succ_size() < 2)
    return;
  const auto *Cond = dyn_cast_or_null<clang::Expr>(B->getTerminatorCondition());
  if (!Cond)
    return;
  const auto *Whole = dyn_cast_or_null<BinaryOperator>(B->getTerminatorStmt());
  Out.Partial = Whole && Whole->isLogicalOp();
  // A branch that decides which temporaries to destroy follows all terms.
  if (Out.Partial && B->getTerminator().isStmtBranch())
    Cond = lastTerm(Cond);
  emitMarkersBefore(Cond);
  Out.Cond = value(Cond);
  Out.CondRange = spanOf(Cond->getSourceRange());
}

} // namespace cudagraph
