//===- LowerMarkers.cpp - Comment markers and CUDAGRAPH_ALLOW -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A comment has no place in a control-flow graph: it is anchored at the
// statement that follows it. Statements under CUDAGRAPH_ALLOW and initialisers
// of static variables are marked by their source range.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace cudagraph {

namespace {
/// Collects compound statements, outermost first.
class CompoundCollector : public DynamicRecursiveASTVisitor {
public:
  std::vector<const CompoundStmt *> Found;
  bool VisitCompoundStmt(CompoundStmt *S) override {
    Found.push_back(S);
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr *) override { return true; }
};
} // namespace

/// Sets \p Flag on the operations that stand in one of \p Ranges.
void Lowerer::markRanges(llvm::ArrayRef<SourceRange> Ranges,
                         llvm::function_ref<void(Op &)> Mark) {
  const SourceManager &SM = Ctx.getSourceManager();
  if (Ranges.empty())
    return;
  for (Block &B : G.Blocks)
    for (Op &O : B.Ops) {
      auto Loc = SourceLocation::getFromRawEncoding(O.Range.Begin);
      for (SourceRange R : Ranges)
        if (Loc.isValid() && !SM.isBeforeInTranslationUnit(Loc, R.getBegin()) &&
            !SM.isBeforeInTranslationUnit(R.getEnd(), Loc))
          Mark(O);
    }
}

/// Notes the statements and declarations under CUDAGRAPH_ALLOW.
void Lowerer::findAllowed(const Stmt *Body) {
  struct Finder : DynamicRecursiveASTVisitor {
    llvm::SmallVectorImpl<SourceRange> &Ranges;
    explicit Finder(llvm::SmallVectorImpl<SourceRange> &R) : Ranges(R) {}
    bool VisitAttributedStmt(AttributedStmt *S) override {
      for (const Attr *A : S->getAttrs())
        if (const auto *AA = dyn_cast<AnnotateAttr>(A);
            AA && AA->getAnnotation() == "cudagraph::allow")
          Ranges.push_back(S->getSourceRange());
      return true;
    }
    bool VisitDeclStmt(DeclStmt *S) override {
      for (const Decl *D : S->decls())
        for (const auto *AA : D->specific_attrs<AnnotateAttr>())
          if (AA->getAnnotation() == "cudagraph::allow")
            Ranges.push_back(S->getSourceRange());
      return true;
    }
  };
  Finder(AllowedRanges).TraverseStmt(const_cast<Stmt *>(Body));
}

/// Anchors each marker inside this function at the statement after it, or, at
/// the end of a block, behind the statement before it.
void Lowerer::placeMarkers(const Stmt *Body) {
  const SourceManager &SM = Ctx.getSourceManager();
  std::vector<const CompoundStmt *> Compounds;
  for (const CommentMarker &M : Table.markers()) {
    if (SM.isBeforeInTranslationUnit(M.Loc, Body->getBeginLoc()) ||
        SM.isBeforeInTranslationUnit(Body->getEndLoc(), M.Loc))
      continue;
    if (Compounds.empty()) {
      CompoundCollector C;
      C.TraverseStmt(const_cast<Stmt *>(Body));
      Compounds = std::move(C.Found);
    }
    // The statement after the marker, in the innermost block that has one.
    const Stmt *Anchor = nullptr;
    for (const CompoundStmt *C : llvm::reverse(Compounds))
      if (SM.isBeforeInTranslationUnit(C->getLBracLoc(), M.Loc) &&
          SM.isBeforeInTranslationUnit(M.Loc, C->getRBracLoc()))
        for (const Stmt *S : C->body())
          if (!Anchor && SM.isBeforeInTranslationUnit(M.Loc, S->getBeginLoc()))
            Anchor = S;
    if (!Anchor) {
      // Nothing follows: the region ends with the function.
      if (!M.Begin)
        G.TrailingEnd = spanOf(M.Loc);
      continue;
    }
    Op O;
    O.Kind = M.Begin ? OpKind::MarkerBegin : OpKind::MarkerEnd;
    O.Range = spanOf(M.Loc);
    O.Text = M.Stream;
    MarkersAt[Anchor].push_back(std::move(O));
  }
  if (MarkersAt.empty())
    return;
  // Elements reach lowerElement as parts of their statement: map every part.
  struct Mapper : DynamicRecursiveASTVisitor {
    llvm::DenseMap<const Stmt *, const Stmt *> &Of;
    const Stmt *Root = nullptr;
    explicit Mapper(llvm::DenseMap<const Stmt *, const Stmt *> &Of) : Of(Of) {}
    bool VisitStmt(Stmt *S) override {
      Of.try_emplace(S, Root);
      return true;
    }
    bool TraverseLambdaExpr(LambdaExpr *E) override { return VisitStmt(E); }
  };
  std::vector<const Stmt *> Anchors;
  for (const auto &Entry : MarkersAt)
    Anchors.push_back(Entry.first);
  // Inner anchors first, so that they win.
  llvm::sort(Anchors, [&](const Stmt *A, const Stmt *B) {
    return SM.isBeforeInTranslationUnit(B->getBeginLoc(), A->getBeginLoc());
  });
  Mapper Map(AnchorOf);
  for (const Stmt *A : Anchors) {
    Map.Root = A;
    Map.TraverseStmt(const_cast<Stmt *>(A));
  }
}

void Lowerer::emitMarkersBefore(const Stmt *S) {
  auto It = AnchorOf.find(S);
  if (It == AnchorOf.end())
    return;
  auto At = MarkersAt.find(It->second);
  if (At == MarkersAt.end())
    return;
  std::vector<Op> Ops = std::move(At->second);
  MarkersAt.erase(At);
  for (Op &O : Ops) {
    if (O.Kind == OpKind::MarkerBegin)
      O.Value = lookUpStream(O.Text);
    Cur->Ops.push_back(std::move(O));
  }
}

/// Finds the variable or member that a comment names; unknown if there is none.
ExprId Lowerer::lookUpStream(StringRef Name) {
  Name.consume_front("this->");
  // a.b and a->b: the member of that name of what `a` is.
  size_t Cut = std::min(Name.rfind('.'), Name.rfind("->"));
  if (Cut != StringRef::npos) {
    StringRef Member = Name.substr(Cut).ltrim(".->");
    for (const auto &[VD, Index] : VarIndex) {
      QualType T = VD->getType().getNonReferenceType();
      bool Pointer = T->isPointerType();
      if (VD->getName() != Name.take_front(Cut))
        continue;
      const CXXRecordDecl *RD =
          (Pointer ? T->getPointeeType() : T)->getAsCXXRecordDecl();
      for (const FieldDecl *FD :
           RD ? RD->fields() : RecordDecl::field_range({}, {}))
        if (FD->getName() == Member)
          return load(field(Pointer ? deref(load(varPlace(VD))) : varPlace(VD),
                            canonicalQualifiedName(FD)));
    }
    return unknown();
  }
  for (const auto &[VD, Index] : VarIndex)
    if (VD->getName() == Name)
      return load(varPlace(VD));
  if (const auto *M = dyn_cast<CXXMethodDecl>(Def))
    for (const FieldDecl *FD : M->getParent()->fields())
      if (FD->getName() == Name)
        return load(
            field(deref(make({ExprKind::This, None, None, None, 0, {}})),
                  canonicalQualifiedName(FD)));
  for (const Decl *D : Ctx.getTranslationUnitDecl()->decls())
    if (const auto *VD = dyn_cast<VarDecl>(D);
        VD && VD->getDeclName().isIdentifier() && VD->getName() == Name)
      return load(varPlace(VD));
  return unknown();
}

} // namespace cudagraph
