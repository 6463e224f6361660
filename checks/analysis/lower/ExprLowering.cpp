//===- ExprLowering.cpp - The expressions of one block --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExprLowering.h"
#include "CallLowering.h"
#include "ConstructLowering.h"
#include "InitLowering.h"
#include "LambdaLowering.h"
#include "PlaceLowering.h"
#include "ValueLowering.h"

using namespace clang;

namespace cudagraph {

ExprLowering::ExprLowering(BodyState &Body, std::vector<Op> &Ops)
    : Body(Body), Table(Body.Table), Names(Body.Names), Exprs(Body.Exprs),
      Out(Ops, Body.G.NumCalls, Body.Exprs) {}

ExprId ExprLowering::place(const clang::Expr *E) {
  return PlaceLowering(*this).of(stripped(E));
}

ExprId ExprLowering::value(const clang::Expr *E) {
  return ValueLowering(*this).of(stripped(E));
}

ExprId ExprLowering::argument(const clang::Expr *E, const ParmVarDecl *P) {
  return argument(E, P ? P->getType() : QualType());
}

ExprId ExprLowering::argument(const clang::Expr *E, QualType Param) {
  if (!Param.isNull() && Param->isReferenceType())
    return Exprs.addrOf(place(E));
  if (const auto *Text = dyn_cast<clang::StringLiteral>(E->IgnoreParens()))
    return Exprs.integer(numberOf(Text));
  if (E->isGLValue())
    return Exprs.load(place(E));
  return value(E);
}

ExprId ExprLowering::object(const clang::Expr *E) {
  return E->getType()->isPointerType() ? Exprs.deref(value(E)) : place(E);
}

std::optional<unsigned> ExprLowering::block() const {
  for (unsigned I = 0; I < Body.G.Blocks.size(); ++I)
    if (Out.addsTo(Body.G.Blocks[I]))
      return I;
  return std::nullopt;
}

void ExprLowering::init(ExprId Place, const clang::Expr *Init) {
  InitLowering(*this).init(Place, stripped(Init));
}

ExprId ExprLowering::once(const clang::Expr *E,
                          llvm::function_ref<ExprId()> Lower) {
  if (auto It = Body.Results.find(E); It != Body.Results.end())
    return It->second;
  ExprId V = Lower();
  Body.Results[E] = V;
  return V;
}

ExprId ExprLowering::call(const CallExpr *E) {
  return once(E, [&] { return CallLowering(*this, E).run(); });
}

ExprId ExprLowering::construct(const CXXConstructExpr *E) {
  return once(E, [&] { return ConstructLowering(*this).construct(E); });
}

ExprId ExprLowering::allocate(const CXXNewExpr *E) {
  return once(E, [&] { return ConstructLowering(*this).allocate(E); });
}

ExprId ExprLowering::lambda(const LambdaExpr *E) {
  return once(E, [&] { return lowerLambda(*this, E); });
}

const clang::Expr *stripped(const clang::Expr *E) {
  while (true) {
    E = E->IgnoreParens();
    if (const auto *X = dyn_cast<FullExpr>(E))
      E = X->getSubExpr();
    else if (const auto *X = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      E = X->getReplacement();
    else if (const auto *X = dyn_cast<CXXBindTemporaryExpr>(E))
      E = X->getSubExpr();
    else if (const auto *X = dyn_cast<OpaqueValueExpr>(E);
             X && X->getSourceExpr())
      E = X->getSourceExpr();
    else if (const auto *X = dyn_cast<CXXDefaultArgExpr>(E))
      E = X->getExpr();
    else if (const auto *X = dyn_cast<CXXDefaultInitExpr>(E))
      E = X->getExpr();
    else
      return E;
  }
}

const clang::Expr *madeBy(const clang::Expr *E) {
  E = stripped(E);
  while (const auto *X = dyn_cast<CXXFunctionalCastExpr>(E))
    E = stripped(X->getSubExpr());
  return E;
}

const clang::Expr *sourceOf(const clang::Expr *E) {
  while (true) {
    E = stripped(E)->IgnoreImplicit()->IgnoreParenCasts();
    const auto *Made = dyn_cast<CXXConstructExpr>(E);
    if (!Made || Made->getNumArgs() == 0 ||
        llvm::any_of(
            llvm::drop_begin(Made->arguments()),
            [](const clang::Expr *A) { return !isa<CXXDefaultArgExpr>(A); }))
      return E;
    E = Made->getArg(0);
  }
}

const CXXStdInitializerListExpr *listOf(const clang::Expr *E) {
  return dyn_cast<CXXStdInitializerListExpr>(sourceOf(E));
}

} // namespace cudagraph
