//===- CommentAnchors.cpp - The positions of comment markers --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommentAnchors.h"
#include "QualifiedName.h"
#include "SpanOf.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace cudagraph {

/// The statement after \p Loc, in the innermost of \p Compounds that has one.
static const Stmt *
statementAfter(SourceLocation Loc,
               llvm::ArrayRef<const CompoundStmt *> Compounds,
               const SourceManager &SM) {
  for (const CompoundStmt *C : llvm::reverse(Compounds))
    if (SM.isBeforeInTranslationUnit(C->getLBracLoc(), Loc) &&
        SM.isBeforeInTranslationUnit(Loc, C->getRBracLoc()))
      for (const Stmt *S : C->body())
        if (SM.isBeforeInTranslationUnit(Loc, S->getBeginLoc()))
          return S;
  return nullptr;
}

CommentAnchors::CommentAnchors(llvm::ArrayRef<CommentMarker> Markers,
                               const Stmt *Body, const SourceManager &SM) {
  std::vector<const CompoundStmt *> Compounds;
  for (const CommentMarker &M : Markers) {
    if (SM.isBeforeInTranslationUnit(M.Loc, Body->getBeginLoc()) ||
        SM.isBeforeInTranslationUnit(Body->getEndLoc(), M.Loc))
      continue;
    if (Compounds.empty())
      Compounds = compoundsOf(Body);
    const Stmt *Anchor = statementAfter(M.Loc, Compounds, SM);
    if (!Anchor) {
      // No statement follows, so the region ends with the function.
      if (!M.Begin)
        TrailingEnd = spanOf(M.Loc);
      continue;
    }
    Op O;
    O.Kind = M.Begin ? OpKind::MarkerBegin : OpKind::MarkerEnd;
    O.Range = spanOf(M.Loc);
    O.Text = M.Stream;
    Ops.push_back({Anchor, std::move(O)});
  }
}

ExprId lookUpName(StringRef Name, const FunctionDecl *Def, LocalVariables &Vars,
                  ExprBuilder &Exprs) {
  Name.consume_front("this->");
  // a.b and a->b: the member with that name of the object `a`.
  size_t Cut = std::min(Name.rfind('.'), Name.rfind("->"));
  if (Cut != StringRef::npos) {
    StringRef Member = Name.substr(Cut).ltrim(".->");
    const VarDecl *VD = Vars.named(Name.take_front(Cut));
    if (!VD)
      return Exprs.unknown();
    QualType T = VD->getType().getNonReferenceType();
    bool Pointer = T->isPointerType();
    const CXXRecordDecl *RD =
        (Pointer ? T->getPointeeType() : T)->getAsCXXRecordDecl();
    for (const FieldDecl *FD :
         RD ? RD->fields() : RecordDecl::field_range({}, {}))
      if (FD->getName() == Member)
        return Exprs.load(
            Exprs.field(Pointer ? Exprs.deref(Exprs.load(Vars.placeOf(VD)))
                                : Vars.placeOf(VD),
                        canonicalQualifiedName(FD)));
    return Exprs.unknown();
  }
  if (const VarDecl *VD = Vars.named(Name))
    return Exprs.load(Vars.placeOf(VD));
  if (const auto *M = dyn_cast<CXXMethodDecl>(Def))
    for (const FieldDecl *FD : M->getParent()->fields())
      if (FD->getName() == Name)
        return Exprs.load(
            Exprs.field(Exprs.deref(Exprs.self()), canonicalQualifiedName(FD)));
  for (const Decl *D : Def->getASTContext().getTranslationUnitDecl()->decls())
    if (const auto *VD = dyn_cast<VarDecl>(D);
        VD && VD->getDeclName().isIdentifier() && VD->getName() == Name)
      return Exprs.load(Vars.placeOf(VD));
  return Exprs.unknown();
}

} // namespace cudagraph
