//===- CallableTypes.cpp - Callables by their type ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallableTypes.h"
#include "FunctionTable.h"
#include "versions/ClangVersions.h"
#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace cudagraph {

/// The type of the functions that \p T points to or holds; null if there is
/// none.
static const FunctionProtoType *signatureOf(QualType T, LibraryNames &Names) {
  T = T.getNonReferenceType();
  if (T->isFunctionPointerType())
    return T->getPointeeType()->getAs<FunctionProtoType>();
  const auto *Class = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      T->getAsCXXRecordDecl());
  if (!Class || Names.shapeOf(Class) != LibraryShape::Holder ||
      Class->getTemplateArgs().size() == 0 ||
      Class->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return nullptr;
  return Class->getTemplateArgs()[0].getAsType()->getAs<FunctionProtoType>();
}

std::string callableType(QualType T, FunctionTable &Table) {
  const FunctionProtoType *Signature = signatureOf(T, Table.names());
  if (!Signature)
    return "";
  bool Specific = false;
  std::string Name = CallableTypePrefix.str() + "(";
  for (QualType Param : Signature->getParamTypes()) {
    QualType Of = Param.getNonReferenceType();
    while (Of->isPointerType())
      Of = Of->getPointeeType();
    const TagDecl *Tag = Of->getAsTagDecl();
    Specific |= Tag && !Table.own().isForeign(Tag->getLocation());
    Name += Param.getCanonicalType().getAsString() + ", ";
  }
  return Specific ? Name + ")" : "";
}

void noteConverted(ExprLowering &L, QualType T, ExprId V) {
  const Expr &E = L.Exprs[V];
  if (E.Kind != ExprKind::Function && E.Kind != ExprKind::Closure &&
      E.Kind != ExprKind::Load)
    return;
  std::string Type = callableType(T, L.Table);
  if (!Type.empty())
    L.Out.assign(L.Exprs.global(std::move(Type)), V, {});
}

ExprId namedFunction(ExprLowering &L, const FunctionDecl *FD) {
  ExprId V = L.Exprs.function(L.Table.idOf(FD));
  if (!isa<CXXMethodDecl>(FD))
    noteConverted(L, L.Body.Ctx.getPointerType(FD->getType()), V);
  return V;
}

void noteElement(ExprLowering &L, const CXXRecordDecl *Container, ExprId V) {
  const auto *Class = dyn_cast<ClassTemplateSpecializationDecl>(Container);
  unsigned Index = mapsKeys(Container);
  if (Class && Index < Class->getTemplateArgs().size() &&
      Class->getTemplateArgs()[Index].getKind() == TemplateArgument::Type)
    noteConverted(L, Class->getTemplateArgs()[Index].getAsType(), V);
}

namespace {
class Conversions : public DynamicRecursiveASTVisitor {
public:
  using Visitor =
      llvm::function_ref<void(std::string, const clang::FunctionDecl *)>;

  Conversions(FunctionTable &Table, Visitor Visit)
      : Table(Table), Visit(Visit) {
    ShouldVisitImplicitCode = true;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *E) override {
    if (E->getNumArgs())
      converted(E->getType(), E->getArg(0));
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) override {
    if (E->getCastKind() == CK_FunctionToPointerDecay)
      converted(E->getType(), E->getSubExpr());
    return true;
  }
  bool TraverseCallExpr(CallExpr *E) override {
    // The callee is called, not converted.
    for (clang::Expr *Arg : E->arguments())
      if (!TraverseStmt(Arg))
        return false;
    return E->getDirectCallee() || TraverseStmt(E->getCallee());
  }
  bool TraverseLambdaExpr(LambdaExpr *) override { return true; }

private:
  void converted(QualType To, const clang::Expr *E) {
    const clang::Expr *From = sourceOf(E);
    const FunctionDecl *FD = nullptr;
    if (const auto *Lambda = dyn_cast<LambdaExpr>(From))
      FD = Lambda->capture_size() == 0 && !Lambda->isGenericLambda()
               ? Lambda->getCallOperator()
               : nullptr;
    else if (const auto *Ref = dyn_cast<DeclRefExpr>(From))
      FD = dyn_cast<FunctionDecl>(Ref->getDecl());
    if (!FD || FD->isDependentContext())
      return;
    if (std::string Type = callableType(To, Table); !Type.empty())
      Visit(std::move(Type), FD);
  }

  FunctionTable &Table;
  Visitor Visit;
};
} // namespace

void eachConverted(
    const clang::Expr *Init, FunctionTable &Table,
    llvm::function_ref<void(std::string, const FunctionDecl *)> Visit) {
  Conversions(Table, Visit).TraverseStmt(const_cast<clang::Expr *>(Init));
}

} // namespace cudagraph
