//===- UsableTypes.cpp - Tests whether Clang can build a CFG --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UsableTypes.h"
#include "versions/ClangVersions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace cudagraph {

/// True if objects of type \p T can be destroyed as far as Clang knows: after a
/// fatal error, templates are not instantiated, and classes have no definition.
static bool isUsable(QualType T, const ASTContext &Ctx) {
  if (T.isNull())
    return false;
  T = Ctx.getBaseElementType(T.getNonReferenceType());
  const CXXRecordDecl *RD = T->getAsCXXRecordDecl();
  if (!RD)
    return true;
  return RD->hasDefinition() && !RD->getDefinition()->isInvalidDecl() &&
         RD->getDefinition()->isCompleteDefinition();
}

namespace {
/// Searches for objects of incomplete classes.
class UsableTypes : public DynamicRecursiveASTVisitor {
public:
  explicit UsableTypes(const ASTContext &Ctx) : Ctx(Ctx) {}
  bool All = true;
  bool VisitVarDecl(VarDecl *VD) override { return require(VD->getType()); }
  bool VisitCXXBindTemporaryExpr(CXXBindTemporaryExpr *E) override {
    return require(E->getType()) && E->getTemporary() &&
           require(E->getTemporary()->getDestructor());
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) override {
    return require(E->getType()) && require(E->getConstructor());
  }
  bool VisitMaterializeTemporaryExpr(MaterializeTemporaryExpr *E) override {
    return require(E->getType());
  }
  bool VisitLambdaExpr(LambdaExpr *E) override {
    return require(E->getLambdaClass()) && require(E->getCallOperator());
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) override {
    // Clang omits these if it cannot find begin() and end().
    return require(S->getRangeStmt()) && require(S->getBeginStmt()) &&
           require(S->getEndStmt()) && require(S->getCond()) &&
           require(S->getInc()) && require(S->getLoopVarStmt());
  }
  bool TraverseLambdaExpr(LambdaExpr *E) override { return VisitLambdaExpr(E); }
  bool TraverseCXXRecordDecl(CXXRecordDecl *) override { return true; }

private:
  // Returning false ends the visit.
  bool require(QualType T) { return All = All && isUsable(T, Ctx); }
  bool require(const void *Part) { return All = All && Part; }
  const ASTContext &Ctx;
};

} // namespace

bool hasUsableTypes(const FunctionDecl *Def) {
  const ASTContext &Ctx = Def->getASTContext();
  const auto *M = dyn_cast<CXXMethodDecl>(Def);
  if (M && isa<CXXConstructorDecl, CXXDestructorDecl>(M)) {
    const CXXRecordDecl *RD = M->getParent();
    for (const CXXBaseSpecifier &B : RD->bases())
      if (!isUsable(B.getType(), Ctx))
        return false;
    for (const CXXBaseSpecifier &B : RD->vbases())
      if (!isUsable(B.getType(), Ctx))
        return false;
    for (const FieldDecl *FD : RD->fields())
      if (!FD->getType()->isReferenceType() && !isUsable(FD->getType(), Ctx))
        return false;
  }
  for (const ParmVarDecl *P : Def->parameters())
    if (!P->getType()->isReferenceType() && !isUsable(P->getType(), Ctx))
      return false;
  UsableTypes Types(Ctx);
  Types.TraverseStmt(Def->getBody());
  if (const auto *CD = dyn_cast<CXXConstructorDecl>(Def))
    for (const CXXCtorInitializer *I : CD->inits())
      Types.All &= I->getInit() && Types.TraverseStmt(I->getInit());
  return Types.All;
}

} // namespace cudagraph
