//===- PlaceLowering.cpp - Expressions that denote storage ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceLowering.h"
#include "CallableTypes.h"
#include "LibraryPlaces.h"
#include "QualifiedName.h"

using namespace clang;

namespace cudagraph {

ExprId PlaceLowering::of(const clang::Expr *E) {
  if (const auto *X = dyn_cast<CastExpr>(E))
    return ofCast(X);
  if (const auto *X = dyn_cast<DeclRefExpr>(E))
    return ofName(X);
  if (const auto *X = dyn_cast<MemberExpr>(E))
    return ofMember(X);
  if (const auto *X = dyn_cast<UnaryOperator>(E))
    return ofUnary(X);
  if (const auto *X = dyn_cast<ArraySubscriptExpr>(E))
    return ofSubscript(X);
  if (const auto *X = dyn_cast<BinaryOperator>(E))
    return ofBinary(X);
  if (const auto *X = dyn_cast<AbstractConditionalOperator>(E);
      X && X->isGLValue())
    return ofConditional(X);
  if (const auto *X = dyn_cast<CallExpr>(E))
    return LibraryPlaces(L).ofCall(X);
  if (isa<CXXThisExpr>(E))
    return Exprs.deref(L.value(E));
  if (const auto *X = dyn_cast<MaterializeTemporaryExpr>(E))
    return ofTemporary(X);
  if (const auto *X = dyn_cast<CXXConstructExpr>(E))
    return ofConstruction(X);
  return E->isPRValue() ? temporary(E, E) : nowhere();
}

ExprId PlaceLowering::temporary(const clang::Expr *Site,
                                const clang::Expr *Init) {
  ExprId T = Exprs.temporary(Site);
  L.init(T, Init);
  return T;
}

/// The place of a base class: that of its object, unless the base is a lambda,
/// which is separate.
ExprId PlaceLowering::ofBase(const CastExpr *E) {
  ExprId Object = L.place(E->getSubExpr());
  const CXXRecordDecl *To = E->getType()->getAsCXXRecordDecl();
  const CXXRecordDecl *From = E->getSubExpr()->getType()->getAsCXXRecordDecl();
  if (!To || !To->isLambda() || !From || !From->hasDefinition())
    return Object;
  unsigned Index = 0;
  for (const CXXBaseSpecifier &Base : From->getDefinition()->bases()) {
    if (declaresSameEntity(Base.getType()->getAsCXXRecordDecl(), To))
      return Exprs.field(Object, baseName(Index));
    ++Index;
  }
  return Object;
}

ExprId PlaceLowering::ofCast(const CastExpr *E) {
  switch (E->getCastKind()) {
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
    return ofBase(E);
  case CK_NoOp:
  case CK_BaseToDerived:
  case CK_Dynamic:
  case CK_LValueBitCast:
  case CK_UserDefinedConversion:
  case CK_ConstructorConversion:
    return L.place(E->getSubExpr());
  default:
    return E->isGLValue() ? L.place(E->getSubExpr()) : temporary(E, E);
  }
}

ExprId PlaceLowering::ofName(const DeclRefExpr *E) {
  const ValueDecl *D = E->getDecl();
  if (const auto *FD = dyn_cast<FunctionDecl>(D))
    return Exprs.deref(namedFunction(L, FD));
  if (E->refersToEnclosingVariableOrCapture())
    if (ExprId Captured = L.Body.Captures.placeOf(D); Captured != None)
      return Captured;
  if (const auto *BD = dyn_cast<BindingDecl>(D)) {
    if (const VarDecl *Holding = BD->getHoldingVar())
      return L.Body.Vars.placeOf(Holding);
    if (BD->getBinding())
      return L.place(BD->getBinding());
    return nowhere();
  }
  if (const auto *VD = dyn_cast<VarDecl>(D))
    return L.Body.Vars.placeOf(VD);
  return nowhere();
}

ExprId PlaceLowering::ofMember(const MemberExpr *E) {
  if (const auto *VD = dyn_cast<VarDecl>(E->getMemberDecl()))
    return L.Body.Vars.placeOf(VD);
  const auto *FD = dyn_cast<FieldDecl>(E->getMemberDecl());
  if (!FD)
    return nowhere();
  ExprId Base =
      E->isArrow() ? Exprs.deref(L.value(E->getBase())) : L.place(E->getBase());
  if (FD->isAnonymousStructOrUnion())
    return Base;
  if (FD->getName() == "second" &&
      isTableEntry(dyn_cast<CXXRecordDecl>(FD->getParent())))
    return Base;
  ExprId F = Exprs.field(Base, canonicalQualifiedName(FD));
  return FD->getType()->isReferenceType() ? Exprs.deref(Exprs.load(F)) : F;
}

ExprId PlaceLowering::ofUnary(const UnaryOperator *E) {
  if (E->getOpcode() == UO_Deref)
    return Exprs.deref(L.value(E->getSubExpr()));
  if (E->isIncrementDecrementOp() || E->getOpcode() == UO_Extension)
    return L.place(E->getSubExpr());
  return nowhere();
}

ExprId PlaceLowering::ofSubscript(const ArraySubscriptExpr *E) {
  ExprId Index = L.value(E->getIdx());
  const clang::Expr *Base = E->getBase()->IgnoreParens();
  if (const auto *C = dyn_cast<CastExpr>(Base);
      C && C->getCastKind() == CK_ArrayToPointerDecay)
    return Exprs.element(L.place(C->getSubExpr()), Index, /*Within=*/true);
  return Exprs.pointerElement(L.value(Base), Index);
}

ExprId PlaceLowering::ofBinary(const BinaryOperator *E) {
  if (E->isAssignmentOp())
    return L.place(E->getLHS());
  if (E->getOpcode() == BO_Comma)
    return L.place(E->getRHS());
  return nowhere();
}

ExprId PlaceLowering::ofConditional(const AbstractConditionalOperator *E) {
  ExprId Cond = L.value(E->getCond());
  ExprId True = Exprs.addrOf(L.place(E->getTrueExpr()));
  ExprId False = Exprs.addrOf(L.place(E->getFalseExpr()));
  return Exprs.deref(Exprs.select(Cond, True, False));
}

ExprId PlaceLowering::ofTemporary(const MaterializeTemporaryExpr *E) {
  const clang::Expr *Sub = stripped(E->getSubExpr());
  if (ExprId Object = L.Body.Targets.find(Sub); Object != None)
    return Object;
  if (isa<CXXConstructExpr>(Sub))
    return L.place(Sub);
  ExprId Object = temporary(E, Sub);
  L.Body.Returned.try_emplace(madeBy(Sub), Object);
  return Object;
}

ExprId PlaceLowering::ofConstruction(const CXXConstructExpr *E) {
  ExprId V = L.construct(E);
  const Expr &X = Exprs[V];
  return X.Kind == ExprKind::Load ? X.A : Exprs.deref(V);
}

} // namespace cudagraph
