//===- BlockLowering.cpp - The statements of one block --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockLowering.h"
#include "CommentAnchors.h"
#include "DestroyLowering.h"
#include "GlobalVariables.h"
#include "QualifiedName.h"
#include "SpanOf.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace cudagraph {

void BlockLowering::lower(const CFGBlock *B) {
  for (const CFGElement &E : *B)
    lowerElement(E);
  if (B->succ_size() >= 2)
    lowerCondition(B);
  if (const auto *Jump = dyn_cast_or_null<GotoStmt>(B->getTerminatorStmt()))
    Out.Jump = spanOf(Jump->getSourceRange());
  if (B->hasNoReturnElement())
    Out.NeverReturns = true;
}

void BlockLowering::lowerElement(const CFGElement &E) {
  if (auto S = E.getAs<CFGStmt>()) {
    addAnchored(S->getStmt());
    lowerStmt(S->getStmt());
  } else if (auto I = E.getAs<CFGInitializer>()) {
    lowerMemberInit(I->getInitializer());
  } else if (auto D = E.getAs<CFGImplicitDtor>()) {
    DestroyLowering(L).destroyImplicitly(*D);
  } else if (auto End = E.getAs<CFGLifetimeEnds>()) {
    lowerEndOfLife(End->getVarDecl());
  }
}

/// Adds the operations that are anchored before \p Before and not part of it.
void BlockLowering::addAnchored(const Stmt *Before) {
  for (Op &O : Anchored.takeBefore(Before)) {
    if (O.Kind == OpKind::MarkerBegin)
      O.Value = lookUpName(O.Text, Body.Def, Body.Vars, Exprs);
    Out.Ops.push_back(std::move(O));
  }
}

void BlockLowering::lowerStmt(const Stmt *S) {
  if (Body.Index.Unevaluated.contains(S))
    return;
  if (const auto *Again = dyn_cast<clang::Expr>(S);
      !Body.Seen.insert(S).second && Again)
    Body.Results.erase(Again);
  if (const auto *X = dyn_cast<DeclStmt>(S))
    lowerDeclaration(X);
  else if (const auto *X = dyn_cast<ReturnStmt>(S))
    lowerReturn(X);
  else if (const auto *X = dyn_cast<BinaryOperator>(S))
    lowerAssignment(X);
  else if (const auto *X = dyn_cast<UnaryOperator>(S))
    lowerIncrement(X);
  else if (const auto *X = dyn_cast<CallExpr>(S))
    L.call(X);
  else if (const auto *X = dyn_cast<CXXConstructExpr>(S))
    L.construct(X);
  else if (const auto *X = dyn_cast<CXXNewExpr>(S))
    L.allocate(X);
  else if (const auto *X = dyn_cast<CXXDeleteExpr>(S))
    DestroyLowering(L).destroyByDelete(X);
  else if (const auto *X = dyn_cast<LambdaExpr>(S))
    L.lambda(X);
  else if (const auto *X = dyn_cast<CXXThrowExpr>(S))
    lowerThrow(X);
}

void BlockLowering::lowerDeclaration(const DeclStmt *S) {
  for (const Decl *D : S->decls())
    if (const auto *VD = dyn_cast<VarDecl>(D))
      lowerVar(VD);
}

void BlockLowering::lowerReturn(const ReturnStmt *S) {
  Op O;
  O.Kind = OpKind::Return;
  O.Range = spanOf(S->getSourceRange());
  if (const clang::Expr *V = S->getRetValue())
    O.Value = Body.Def->getReturnType()->isReferenceType()
                  ? Exprs.addrOf(L.place(V))
              : V->getType()->isVoidType() ? None
                                           : L.value(V);
  Out.Ops.push_back(std::move(O));
}

void BlockLowering::lowerAssignment(const BinaryOperator *E) {
  if (!E->isAssignmentOp())
    return;
  if (const auto *Choice =
          dyn_cast<AbstractConditionalOperator>(E->getLHS()->IgnoreParens()))
    return lowerChoice(E, Choice);
  Op O;
  O.Range = spanOf(E->getSourceRange());
  O.Kind = E->isCompoundAssignmentOp() ? OpKind::Modify : OpKind::Assign;
  O.Value = L.value(E->getRHS());
  O.ConstValue = Exprs.isConstant(O.Value);
  O.Place = L.place(E->getLHS());
  if (O.Kind == OpKind::Assign &&
      Exprs.isComputedFrom(O.Value, Exprs.load(O.Place)))
    O.Kind = OpKind::Modify; // x = x + 1
  if (E->isCompoundAssignmentOp()) {
    auto Operator = BinaryOperator::getOpForCompoundAssignment(E->getOpcode());
    O.Value = Exprs.binary(BinaryOperator::getOpcodeStr(Operator).str(),
                           Exprs.load(O.Place), O.Value);
  }
  Out.Ops.push_back(std::move(O));
}

/// Lowers `(c ? a : b) = v`, which writes to one of two places, and leaves the
/// other unchanged.
void BlockLowering::lowerChoice(const BinaryOperator *E,
                                const AbstractConditionalOperator *Choice) {
  ExprId Cond = L.value(Choice->getCond()), Value = L.value(E->getRHS());
  for (bool First : {true, false}) {
    Op O;
    O.Range = spanOf(E->getSourceRange());
    O.Kind = E->isCompoundAssignmentOp() ? OpKind::Modify : OpKind::Assign;
    O.Place = L.place(First ? Choice->getTrueExpr() : Choice->getFalseExpr());
    ExprId Old = Exprs.load(O.Place), New = Value;
    if (O.Kind == OpKind::Modify)
      New = Exprs.binary(
          BinaryOperator::getOpcodeStr(
              BinaryOperator::getOpForCompoundAssignment(E->getOpcode()))
              .str(),
          Old, Value);
    O.Value = Exprs.select(Cond, First ? New : Old, First ? Old : New);
    Out.Ops.push_back(std::move(O));
  }
}

void BlockLowering::lowerIncrement(const UnaryOperator *E) {
  if (!E->isIncrementDecrementOp())
    return;
  Op O;
  O.Kind = OpKind::Modify;
  O.Range = spanOf(E->getSourceRange());
  O.Place = L.place(E->getSubExpr());
  ExprId Before = Exprs.load(O.Place);
  O.Value =
      Exprs.binary(E->isIncrementOp() ? "+" : "-", Before, Exprs.integer(1));
  Out.Ops.push_back(std::move(O));
}

void BlockLowering::lowerThrow(const CXXThrowExpr *E) {
  Out.NeverReturns = true;
  if (!Body.Index.Catches)
    Out.Throw = spanOf(E->getSourceRange());
}

void BlockLowering::bindOrInit(QualType T, ExprId Place,
                               const clang::Expr *Init) {
  if (!T->isReferenceType())
    return L.init(Place, Init);
  Op O;
  O.Place = Place;
  O.Value = Exprs.addrOf(L.place(Init));
  Out.Ops.push_back(std::move(O));
}

void BlockLowering::lowerVar(const VarDecl *VD) {
  const clang::Expr *Init = VD->getInit();
  if (VD->isStaticLocal()) {
    if (Init)
      lowerStaticVar(VD, Init);
  } else if (Init) {
    bindOrInit(VD->getType(), Body.Vars.storageOf(VD), Init);
  } else {
    Body.Vars.placeOf(VD);
  }
}

/// Lowers a variable that is initialized once, at the first call; its contents
/// belong to the program.
void BlockLowering::lowerStaticVar(const VarDecl *VD, const clang::Expr *Init) {
  ExprId Ran = None;
  if (!VD->hasConstantInitialization())
    Ran = Exprs.global(globalName(VD) + OnceSuffix.str());
  Body.Once.push_back({Init->getSourceRange(), Ran});
  ExprId Place = Body.Vars.placeOf(VD);
  // An object is constructed in place, unless a function creates it.
  bool InPlace =
      VD->getType()->isRecordType() && !isa<CallExpr>(Init->IgnoreImplicit());
  if (!VD->getType()->isReferenceType() && !InPlace) {
    Op O;
    O.Place = Place;
    O.Value = L.value(Init);
    O.ConstValue = Exprs.isConstant(O.Value);
    O.Range = spanOf(Init->getSourceRange());
    O.Once = true;
    Out.Ops.push_back(std::move(O));
  }
  if (Ran == None)
    return;
  Op Note;
  Note.Place = Note.OnceOf = Ran;
  Note.Value = Exprs.integer(1);
  Note.Once = Note.ConstValue = Note.Implicit = true;
  Out.Ops.push_back(std::move(Note));
}

void BlockLowering::lowerMemberInit(const CXXCtorInitializer *I) {
  ExprId Self = Exprs.deref(Exprs.self());
  if (!I->isAnyMemberInitializer())
    return L.init(Self, I->getInit()); // base class or delegation
  const FieldDecl *FD = I->getAnyMember();
  bindOrInit(FD->getType(), Exprs.field(Self, canonicalQualifiedName(FD)),
             I->getInit());
}

/// Handles a variable that goes out of scope; see dropIdleEnds().
void BlockLowering::lowerEndOfLife(const VarDecl *VD) {
  if (!VD || VD->getType()->isReferenceType() || !Body.Vars.has(VD))
    return;
  Op O;
  O.Kind = OpKind::EndLife;
  O.Place = Body.Vars.placeOf(VD);
  O.Range = spanOf(VD->getLocation());
  Out.Ops.push_back(std::move(O));
}

/// The condition at the point where \p Cond, one operand of && or ||, has been
/// computed. There, the last term has the same value as the whole condition,
/// because the terms before it did not determine it. In long conditions, only
/// the last term is used; otherwise, the conditions of a function would grow
/// with the square of its size.
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

void BlockLowering::lowerCondition(const CFGBlock *B) {
  const auto *Cond = dyn_cast_or_null<clang::Expr>(B->getTerminatorCondition());
  if (!Cond)
    return;
  const auto *Whole = dyn_cast_or_null<BinaryOperator>(B->getTerminatorStmt());
  Out.Partial = Whole && Whole->isLogicalOp();
  // A branch that determines which temporaries to destroy follows all terms.
  if (Out.Partial && B->getTerminator().isStmtBranch())
    Cond = lastTerm(Cond);
  addAnchored(Cond);
  Out.Cond = L.value(Cond);
  Out.CondRange = spanOf(Cond->getSourceRange());
}

} // namespace cudagraph
