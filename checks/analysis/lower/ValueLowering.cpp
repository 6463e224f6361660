//===- ValueLowering.cpp - Expressions that compute values ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueLowering.h"
#include "ApiPointers.h"
#include "CallableTypes.h"
#include "ConstantCallables.h"
#include "LibraryPlaces.h"
#include "llvm/Support/xxhash.h"

using namespace clang;

namespace cudagraph {

ExprId ValueLowering::of(const clang::Expr *E) {
  if (const auto *X = dyn_cast<CastExpr>(E))
    return ofCast(X);
  for (auto Kind : {&ValueLowering::ofLiteral, &ValueLowering::ofOperator,
                    &ValueLowering::ofObject})
    if (ExprId V = (this->*Kind)(E); V != None)
      return V;
  if (const auto *X = dyn_cast<DeclRefExpr>(E))
    return ofName(X);
  if (isa<CXXThisExpr>(E))
    return L.Body.Captures.thisPointer();
  if (const auto *X = dyn_cast<StmtExpr>(E))
    return ofStatement(X);
  if (const auto *X = dyn_cast<PseudoObjectExpr>(E))
    if (X->getResultExpr())
      return L.value(X->getResultExpr());
  if (isa<MaterializeTemporaryExpr>(E) || E->isGLValue())
    return Exprs.load(L.place(E));
  return Exprs.unknown();
}

ExprId ValueLowering::ofLiteral(const clang::Expr *E) {
  if (const auto *X = dyn_cast<IntegerLiteral>(E))
    return Exprs.number(
        llvm::APSInt(X->getValue(), X->getType()->isUnsignedIntegerType()));
  if (const auto *X = dyn_cast<CXXBoolLiteralExpr>(E))
    return Exprs.integer(X->getValue());
  if (const auto *X = dyn_cast<CharacterLiteral>(E))
    return Exprs.integer(X->getValue());
  if (isa<CXXNullPtrLiteralExpr, GNUNullExpr, ImplicitValueInitExpr,
          CXXScalarValueInitExpr>(E))
    return Exprs.integer(0);
  if (const auto *X = dyn_cast<FloatingLiteral>(E)) {
    llvm::APFloat Value = X->getValue();
    bool Inexact = false;
    Value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &Inexact);
    return Exprs.unary(FloatOp.str(),
                       Exprs.integer(static_cast<int64_t>(
                           Value.bitcastToAPInt().getZExtValue())));
  }
  if (const auto *X = dyn_cast<UnaryExprOrTypeTraitExpr>(E)) {
    clang::Expr::EvalResult R;
    if (!X->isValueDependent() && X->EvaluateAsInt(R, L.Body.Ctx))
      return Exprs.number(R.Val.getInt());
    return Exprs.unknown();
  }
  return None;
}

ExprId ValueLowering::ofOperator(const clang::Expr *E) {
  if (const auto *X = dyn_cast<UnaryOperator>(E))
    return ofUnary(X);
  if (const auto *X = dyn_cast<BinaryOperator>(E))
    return ofBinary(X);
  if (const auto *X = dyn_cast<AbstractConditionalOperator>(E))
    return ofConditional(X);
  return None;
}

/// Calls, and expressions that create an object.
ExprId ValueLowering::ofObject(const clang::Expr *E) {
  if (const auto *X = dyn_cast<CallExpr>(E))
    return X->isGLValue() ? Exprs.load(LibraryPlaces(L).ofCall(X)) : L.call(X);
  if (const auto *X = dyn_cast<CXXConstructExpr>(E))
    return L.construct(X);
  if (const auto *X = dyn_cast<LambdaExpr>(E))
    return L.lambda(X);
  if (const auto *X = dyn_cast<CXXNewExpr>(E))
    return L.allocate(X);
  // Copying an array, in a closure or an object, copies its elements.
  if (const auto *X = dyn_cast<ArrayInitLoopExpr>(E))
    if (const clang::Expr *Source = X->getCommonExpr()->getSourceExpr())
      return Exprs.load(L.place(Source));
  if (const auto *X = dyn_cast<InitListExpr>(E))
    return ofInitList(X);
  if (const auto *X = dyn_cast<CXXStdInitializerListExpr>(E))
    return firstElement(X->getSubExpr());
  return None;
}

ExprId ValueLowering::ofFunctionName(const clang::Expr *E) {
  const auto *DRE = dyn_cast<DeclRefExpr>(E);
  const auto *FD = DRE ? dyn_cast<FunctionDecl>(DRE->getDecl()) : nullptr;
  return FD ? namedFunction(L, FD) : None;
}

ExprId ValueLowering::ofName(const DeclRefExpr *E) {
  if (const auto *EC = dyn_cast<EnumConstantDecl>(E->getDecl()))
    return Exprs.number(EC->getInitVal());
  if (ExprId F = ofFunctionName(E); F != None)
    return F;
  return Exprs.load(L.place(E));
}

ExprId ValueLowering::ofUnary(const UnaryOperator *E) {
  const clang::Expr *Sub = E->getSubExpr();
  switch (E->getOpcode()) {
  case UO_AddrOf:
    if (ExprId F = ofFunctionName(Sub->IgnoreParens()); F != None)
      return F;
    return Exprs.addrOf(L.place(Sub));
  case UO_Plus:
  case UO_Extension:
    return L.value(Sub);
  case UO_Minus:
    return Exprs.unary("neg", L.value(Sub));
  case UO_Not:
    return Exprs.unary("~", L.value(Sub));
  case UO_LNot:
    return Exprs.unary("!", L.value(Sub));
  case UO_PreInc:
  case UO_PreDec:
  case UO_PostInc:
  case UO_PostDec:
    return Exprs.load(L.place(Sub));
  default:
    return Exprs.unknown();
  }
}

ExprId ValueLowering::ofBinary(const BinaryOperator *E) {
  if (E->getOpcode() == BO_Comma)
    return L.value(E->getRHS());
  if (E->isAssignmentOp())
    return Exprs.load(L.place(E->getLHS()));
  ExprId Left = L.value(E->getLHS()), Right = L.value(E->getRHS());
  if (E->getType()->isPointerType() && E->getOpcode() == BO_Add) {
    if (!E->getLHS()->getType()->isPointerType())
      std::swap(Left, Right);
    return Exprs.addrOf(Exprs.pointerElement(Left, Right));
  }
  return Exprs.binary(E->getOpcodeStr().str(), Left, Right);
}

ExprId ValueLowering::ofConditional(const AbstractConditionalOperator *E) {
  ExprId Cond = L.value(E->getCond());
  ExprId True = L.value(E->getTrueExpr());
  ExprId False = L.value(E->getFalseExpr());
  return Exprs.select(Cond, True, False);
}

ExprId ValueLowering::ofStatement(const StmtExpr *E) {
  const CompoundStmt *Body = E->getSubStmt();
  const auto *Last = dyn_cast_or_null<clang::Expr>(
      Body->body_empty() ? nullptr : Body->body_back());
  return Last ? L.value(Last) : Exprs.unknown();
}

ExprId ValueLowering::ofInitList(const InitListExpr *E) {
  if (E->getType()->isRecordType() || E->getType()->isArrayType()) {
    ExprId Object = L.Body.Targets.find(E);
    if (Object == None)
      Object = Exprs.temporary(E);
    L.init(Object, E);
    return Exprs.load(Object);
  }
  return E->getNumInits() == 1 ? L.value(E->getInit(0)) : Exprs.integer(0);
}

ExprId ValueLowering::firstElement(const clang::Expr *E) {
  ExprId Array = L.place(E);
  return Exprs.addrOf(Exprs.element(Array, Exprs.integer(0), /*Within=*/true));
}

/// The contents of \p E.
ExprId ValueLowering::ofLoad(const clang::Expr *E) {
  // Constants are folded here, if Clang knows their initializers.
  const ASTContext &Ctx = L.Body.Ctx;
  if (const auto *DRE = dyn_cast<DeclRefExpr>(E->IgnoreParens()))
    if (const auto *VD = dyn_cast<VarDecl>(DRE->getDecl());
        VD && VD->getType()->isIntegralOrEnumerationType() &&
        VD->mightBeUsableInConstantExpressions(Ctx) &&
        !VD->getType()->isReferenceType() && VD->getAnyInitializer() &&
        !VD->getAnyInitializer()->isValueDependent()) {
      clang::Expr::EvalResult R;
      if (DRE->EvaluateAsInt(R, Ctx))
        return Exprs.number(R.Val.getInt());
    }
  if (ExprId V = constantCallable(L, E); V != None)
    return V;
  if (const auto *M = dyn_cast<MemberExpr>(E->IgnoreParens()))
    if (const auto *FD = dyn_cast<FieldDecl>(M->getMemberDecl());
        FD && L.Names.isStream(FD->getType()) && L.Table.unset().isNull(FD))
      return Exprs.integer(0);
  return Exprs.load(L.place(E));
}

int64_t numberOf(const clang::StringLiteral *Text) {
  return static_cast<int64_t>(llvm::xxh3_64bits(Text->getBytes()) >> 32 |
                              uint64_t(1) << 32);
}

ExprId ValueLowering::ofCast(const CastExpr *E) {
  const clang::Expr *Sub = E->getSubExpr();
  if (E->getType()->isFunctionPointerType())
    if (const auto *Call = dyn_cast<CallExpr>(Sub->IgnoreParenCasts()))
      if (const FunctionDecl *Api = apiLookedUp(Call, L.Table, E->getType())) {
        L.value(Call);
        return Exprs.function(L.Table.idOf(Api));
      }
  switch (E->getCastKind()) {
  case CK_LValueToRValue:
    return ofLoad(Sub);
  case CK_ArrayToPointerDecay:
    if (const auto *Text = dyn_cast<clang::StringLiteral>(Sub->IgnoreParens()))
      return Exprs.integer(numberOf(Text)); // a constant address
    return firstElement(Sub);
  case CK_FunctionToPointerDecay:
    if (ExprId F = ofFunctionName(Sub->IgnoreParens()); F != None)
      return F;
    return Exprs.addrOf(L.place(Sub));
  case CK_NullToPointer:
  case CK_NullToMemberPointer:
    return Exprs.integer(0);
  case CK_IntegralToBoolean:
  case CK_PointerToBoolean:
    return Exprs.unary("bool", L.value(Sub));
  default:
    return Sub->isGLValue() ? Exprs.load(L.place(Sub)) : L.value(Sub);
  }
}

} // namespace cudagraph
