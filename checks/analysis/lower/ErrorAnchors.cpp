//===- ErrorAnchors.cpp - Source in a body that does not parse ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ErrorAnchors.h"
#include "ParseErrors.h"
#include "SpanOf.h"
#include "versions/ClangVersions.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace cudagraph {
namespace {

/// Collects the compound statements of a body, outermost first, and the
/// outermost expressions that contain code that Clang did not understand.
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

static Op unparsed(SourceLocation At) {
  Op O;
  O.Kind = OpKind::Unparsed;
  O.Range = spanOf(SourceRange(At));
  return O;
}

ErrorAnchors::ErrorAnchors(const FunctionDecl *Def, const ParseErrors &Known) {
  const SourceManager &SM = Def->getASTContext().getSourceManager();
  ErrorFinder Finder;
  Finder.TraverseStmt(Def->getBody());
  if (const auto *CD = dyn_cast<CXXConstructorDecl>(Def))
    for (const CXXCtorInitializer *I : CD->inits())
      if (I->getInit() && I->getInit()->containsErrors())
        AtEntry.push_back(I->getSourceLocation());
  if (Known.isAfterFatal(Def->getLocation(), SM) || Def->isInvalidDecl())
    AtEntry.push_back(Def->getLocation());
  for (SourceLocation At : Finder.Errors)
    anchor(SM.getFileLoc(At), Finder.Compounds, SM);
  for (SourceLocation At : Known.in(Def->getSourceRange(), SM))
    anchor(SM.getFileLoc(At), Finder.Compounds, SM);
}

void ErrorAnchors::anchor(SourceLocation At,
                          llvm::ArrayRef<const CompoundStmt *> Compounds,
                          const SourceManager &SM) {
  // The innermost block that contains the error, and its first statement that
  // does not end before the error.
  const CompoundStmt *In = nullptr;
  for (const CompoundStmt *C : Compounds)
    if (!SM.isBeforeInTranslationUnit(At, SM.getFileLoc(C->getLBracLoc())) &&
        !SM.isBeforeInTranslationUnit(SM.getFileLoc(C->getRBracLoc()), At))
      In = C;
  const Stmt *Anchor = nullptr;
  if (In)
    for (const Stmt *S : In->body())
      if (!Anchor &&
          !SM.isBeforeInTranslationUnit(SM.getFileLoc(S->getEndLoc()), At))
        Anchor = S;
  // No statement follows in the block; code before it may also run after it, in
  // the next iteration of a loop.
  if (In && !Anchor && !In->body_empty())
    Anchor = In->body_front();
  if (Anchor)
    Ops.push_back({Anchor, unparsed(At)});
  else
    AtEntry.push_back(At);
}

void ErrorAnchors::markEntry(FlowGraph &G, llvm::ArrayRef<Op> Left) const {
  std::vector<SourceLocation> All = AtEntry;
  for (const Op &O : Left)
    if (O.Kind == OpKind::Unparsed)
      All.push_back(SourceLocation::getFromRawEncoding(O.Range.Begin));
  if (All.empty())
    return;
  std::vector<Op> &First = G.Blocks.front().Ops;
  First.insert(First.begin(), unparsed(*llvm::min_element(All)));
}

std::unique_ptr<FlowGraph> unparsedGraph(const FunctionDecl *Def) {
  auto G = std::make_unique<FlowGraph>();
  G->Blocks.resize(2);
  G->Exit = 1;
  Edge ToExit;
  ToExit.To = 1;
  G->Blocks[0].Succs.push_back(ToExit);
  G->Blocks[0].Ops.push_back(unparsed(Def->getLocation()));
  for (const ParmVarDecl *P : Def->parameters()) {
    LocalVar Var;
    Var.Name = P->getNameAsString();
    G->Vars.push_back(std::move(Var));
  }
  G->NumParams = G->Vars.size();
  return G;
}

} // namespace cudagraph
