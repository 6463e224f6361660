//===- UnsetMembers.cpp - Members that stay null --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See UnsetMembers.h.
//
//===----------------------------------------------------------------------===//

#include "UnsetMembers.h"
#include "versions/ClangVersions.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace cudagraph {

namespace {

bool isNullValue(const clang::Expr *E, ASTContext &Ctx) {
  if (isa<ImplicitValueInitExpr, CXXDefaultInitExpr>(E))
    return true;
  if (const auto *List = dyn_cast<InitListExpr>(E))
    return List->getNumInits() == 0 ||
           (List->getNumInits() == 1 && isNullValue(List->getInit(0), Ctx));
  return E->IgnoreParenCasts()->isNullPointerConstant(
             Ctx, clang::Expr::NPC_ValueDependentIsNotNull) !=
         clang::Expr::NPCK_NotNull;
}

/// Finds the members that code sets, or whose addresses it takes.
class SetterFinder : public DynamicRecursiveASTVisitor {
public:
  SetterFinder(ASTContext &Ctx, llvm::DenseSet<const FieldDecl *> &Set)
      : Ctx(Ctx), Set(Set) {
    ShouldVisitTemplateInstantiations = true;
  }

  /// If the file creates no object of a class, adds the members of the class:
  /// other code creates and fills its objects.
  void addUncreated() {
    for (const CXXRecordDecl *RD : Classes)
      if (!Created.contains(RD))
        for (const FieldDecl *Each : RD->fields())
          add(Each);
  }

  bool VisitCXXRecordDecl(CXXRecordDecl *D) override {
    if (D->isThisDeclarationADefinition())
      Classes.push_back(D);
    return true;
  }
  bool VisitVarDecl(VarDecl *D) override {
    if (!isa<ParmVarDecl>(D))
      create(D->getType());
    return true;
  }
  bool VisitCXXNewExpr(CXXNewExpr *E) override {
    create(E->getAllocatedType());
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) override {
    if (E->getCastKind() == CK_LValueToRValue)
      harmless(E->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) override {
    if (E->getOpcode() == BO_Assign && isNullValue(E->getRHS(), Ctx))
      harmless(E->getLHS());
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) override {
    if (!Harmless.contains(E))
      add(E->getMemberDecl());
    return true;
  }
  // A stream on which a capture begins was created, even if a function of the
  // file begins the capture.
  bool VisitCallExpr(CallExpr *E) override {
    const FunctionDecl *FD = E->getDirectCallee();
    if (FD && FD->getDeclName().isIdentifier() &&
        (FD->isDefined() || FD->isPureVirtual() ||
         FD->getName().contains("Capture")))
      for (const clang::Expr *A : E->arguments())
        if (const auto *M = dyn_cast<MemberExpr>(A->IgnoreParenImpCasts()))
          add(M->getMemberDecl());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) override { // &Class::member
    add(E->getDecl());
    return true;
  }
  bool VisitInitListExpr(InitListExpr *E) override {
    const auto *RD = E->getType()->getAsRecordDecl();
    if (!RD || !RD->getDefinition())
      return true;
    const auto *Class = dyn_cast<CXXRecordDecl>(RD);
    unsigned I = Class ? Class->getNumBases() : 0;
    for (const FieldDecl *Each : RD->getDefinition()->fields()) {
      if (Each->isUnnamedBitField())
        continue;
      if (I < E->getNumInits() && !isNullValue(E->getInit(I), Ctx))
        add(Each);
      ++I;
    }
    return true;
  }
  bool VisitCXXConstructorDecl(CXXConstructorDecl *D) override {
    for (const CXXCtorInitializer *Init : D->inits())
      if (const FieldDecl *Member = Init->getMember();
          Member && !isNullValue(Init->getInit(), Ctx))
        add(Member);
    return true;
  }

private:
  void create(QualType T) {
    if (const CXXRecordDecl *RD = T->getAsCXXRecordDecl())
      Created.insert(RD->getDefinition());
  }
  void harmless(const clang::Expr *E) {
    if (const auto *M = dyn_cast<MemberExpr>(E->IgnoreParens()))
      Harmless.insert(M);
  }
  void add(const ValueDecl *D) {
    if (const auto *FD = dyn_cast<FieldDecl>(D))
      Set.insert(FD->getCanonicalDecl());
  }

  ASTContext &Ctx;
  llvm::DenseSet<const FieldDecl *> &Set;
  llvm::DenseSet<const clang::Expr *> Harmless;
  llvm::DenseSet<const CXXRecordDecl *> Created;
  llvm::SmallVector<const CXXRecordDecl *, 8> Classes;
};

} // namespace

/// True if \p Member is null in a new object of a class that other units cannot
/// use.
bool UnsetMembers::isCandidate(const FieldDecl *Member) const {
  const SourceManager &SM = Ctx.getSourceManager();
  const auto *Class = dyn_cast<CXXRecordDecl>(Member->getParent());
  const clang::Expr *Init = Member->getInClassInitializer();
  return Class && Init && !Class->isUnion() && !Class->isDependentContext() &&
         !Class->getTemplateInstantiationPattern() && !Class->isLambda() &&
         SM.isInMainFile(SM.getExpansionLoc(Member->getLocation())) &&
         isNullValue(Init, Ctx);
}

bool UnsetMembers::isNull(const FieldDecl *Member) {
  Member = Member->getCanonicalDecl();
  if (!isCandidate(Member))
    return false;
  if (!Set) {
    Set.emplace();
    const SourceManager &SM = Ctx.getSourceManager();
    SetterFinder Finder(Ctx, *Set);
    for (Decl *D : Ctx.getTranslationUnitDecl()->decls())
      if (SM.isInMainFile(SM.getExpansionLoc(D->getLocation())))
        Finder.TraverseDecl(D);
    Finder.addUncreated();
  }
  return !Set->contains(Member);
}

} // namespace cudagraph
