//===- LowerErrors.cpp - Functions that do not parse ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marks where a body does not parse: at the statement that holds the error, or
// the one after it where Clang dropped the statement. A body for which Clang
// cannot build a CFG becomes a graph of one mark.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "ParseErrors.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace cudagraph {

/// True if objects of type \p T can be destroyed as far as Clang knows: after a
/// fatal error templates are not instantiated, and classes have no definition.
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
/// Looks for objects of classes that Clang knows too little of.
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
    // Clang leaves these out where it cannot find begin() and end().
    return require(S->getRangeStmt()) && require(S->getBeginStmt()) &&
           require(S->getEndStmt()) && require(S->getCond()) &&
           require(S->getInc()) && require(S->getLoopVarStmt());
  }
  bool TraverseLambdaExpr(LambdaExpr *E) override { return VisitLambdaExpr(E); }
  bool TraverseCXXRecordDecl(CXXRecordDecl *) override { return true; }

private:
  // To return false ends the visit.
  bool require(QualType T) { return All = All && isUsable(T, Ctx); }
  bool require(const void *Part) { return All = All && Part; }
  const ASTContext &Ctx;
};

/// Collects the compound statements of a body, outermost first, and the
/// outermost expressions that hold what Clang could not make sense of.
class ErrorFinder : public DynamicRecursiveASTVisitor {
public:
  std::vector<const CompoundStmt *> Compounds;
  std::vector<SourceLocation> Errors;
  bool VisitCompoundStmt(CompoundStmt *S) override {
    Compounds.push_back(S);
    return true;
  }
  bool TraverseStmt(Stmt *S) override {
    if (auto *E = dyn_cast_or_null<clang::Expr>(S); E && E->containsErrors()) {
      Errors.push_back(E->getBeginLoc());
      return true;
    }
    return DynamicRecursiveASTVisitor::TraverseStmt(S);
  }
  bool VisitVarDecl(VarDecl *VD) override {
    if (VD->isInvalidDecl())
      Errors.push_back(VD->getBeginLoc());
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr *) override { return true; }
};
} // namespace

/// False where building a CFG would look into a class that has no definition.
bool Lowerer::hasUsableTypes() const {
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

static Op unparsed(SourceLocation At) {
  Op O;
  O.Kind = OpKind::Unparsed;
  O.Range = spanOf(SourceRange(At));
  return O;
}

void Lowerer::lowerUnparsed() {
  G = FlowGraph();
  G.Blocks.resize(2);
  G.Exit = 1;
  Edge ToExit;
  ToExit.To = 1;
  G.Blocks[0].Succs.push_back(ToExit);
  G.Blocks[0].Ops.push_back(unparsed(Def->getLocation()));
  for (const ParmVarDecl *P : Def->parameters()) {
    LocalVar Var;
    Var.Name = P->getNameAsString();
    G.Vars.push_back(std::move(Var));
  }
  G.NumParams = G.Vars.size();
}

void Lowerer::placeErrors() {
  const SourceManager &SM = Ctx.getSourceManager();
  const ParseErrors &Known = Table.errors();
  ErrorFinder Finder;
  Finder.TraverseStmt(Def->getBody());
  if (const auto *CD = dyn_cast<CXXConstructorDecl>(Def))
    for (const CXXCtorInitializer *I : CD->inits())
      if (I->getInit() && I->getInit()->containsErrors())
        ErrorsAtEntry.push_back(I->getSourceLocation());
  if (Known.isAfterFatal(Def->getLocation(), SM) || Def->isInvalidDecl())
    ErrorsAtEntry.push_back(Def->getLocation());
  llvm::SmallVector<SourceLocation, 4> All(Finder.Errors.begin(),
                                           Finder.Errors.end());
  llvm::append_range(All, Known.in(Def->getSourceRange(), SM));
  for (SourceLocation At : All) {
    At = SM.getFileLoc(At);
    // The innermost block that holds the error, and the first statement of it
    // that does not end before the error.
    const Stmt *Anchor = nullptr;
    const CompoundStmt *In = nullptr;
    for (const CompoundStmt *C : Finder.Compounds)
      if (!SM.isBeforeInTranslationUnit(At, SM.getFileLoc(C->getLBracLoc())) &&
          !SM.isBeforeInTranslationUnit(SM.getFileLoc(C->getRBracLoc()), At))
        In = C;
    if (In)
      for (const Stmt *S : In->body())
        if (!Anchor &&
            !SM.isBeforeInTranslationUnit(SM.getFileLoc(S->getEndLoc()), At))
          Anchor = S;
    // Nothing follows in the block: what comes before it may come after it,
    // too, in the next round of a loop.
    if (In && !Anchor && !In->body_empty())
      Anchor = In->body_front();
    if (Anchor)
      MarkersAt[Anchor].push_back(unparsed(At));
    else
      ErrorsAtEntry.push_back(At);
  }
}

/// Puts the marks that found no statement where the function begins.
void Lowerer::emitErrorsAtEntry() {
  for (auto &[Anchor, Ops] : MarkersAt)
    for (const Op &O : Ops)
      if (O.Kind == OpKind::Unparsed)
        ErrorsAtEntry.push_back(
            SourceLocation::getFromRawEncoding(O.Range.Begin));
  if (ErrorsAtEntry.empty())
    return;
  std::vector<Op> &First = G.Blocks.front().Ops;
  First.insert(First.begin(), unparsed(*llvm::min_element(ErrorsAtEntry)));
}

} // namespace cudagraph
