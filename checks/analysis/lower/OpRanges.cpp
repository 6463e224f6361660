//===- OpRanges.cpp - Operations in a source range ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpRanges.h"
#include "versions/ClangVersions.h"
#include "clang/AST/Attr.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudagraph {
namespace {

/// True if \p A is CUDAGRAPH_ALLOW, in the forms for new and old versions of
/// Clang.
bool allows(const Attr *A) {
  if (const auto *AA = dyn_cast<AnnotateAttr>(A))
    return AA->getAnnotation() == "cudagraph::allow";
  const auto *Old = dyn_cast<SuppressAttr>(A);
  return Old && Old->diagnosticIdentifiers_size() > 1 &&
         *Old->diagnosticIdentifiers_begin() == "cudagraph::allow";
}

/// Collects the statements and declarations under CUDAGRAPH_ALLOW.
class AllowedFinder : public DynamicRecursiveASTVisitor {
public:
  std::vector<SourceRange> Ranges;
  bool VisitAttributedStmt(AttributedStmt *S) override {
    if (llvm::any_of(S->getAttrs(), allows))
      Ranges.push_back(S->getSourceRange());
    return true;
  }
  bool VisitDeclStmt(DeclStmt *S) override {
    for (const Decl *D : S->decls())
      if (D->hasAttrs() && llvm::any_of(D->getAttrs(), allows))
        Ranges.push_back(S->getSourceRange());
    return true;
  }
};

/// Collects the try blocks of one function, outer ones first.
class TryFinder : public DynamicRecursiveASTVisitor {
public:
  std::vector<const CXXTryStmt *> Tries;
  bool VisitCXXTryStmt(CXXTryStmt *S) override {
    Tries.push_back(S);
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr *) override { return true; }
  bool TraverseCXXRecordDecl(CXXRecordDecl *) override { return true; }
};

/// Collects the functions that a statement calls.
class CalleeFinder : public DynamicRecursiveASTVisitor {
public:
  std::vector<const FunctionDecl *> Callees;
  bool VisitCallExpr(CallExpr *E) override {
    const FunctionDecl *FD = E->getDirectCallee();
    if (FD && !FD->isInStdNamespace())
      Callees.push_back(FD);
    return true;
  }
};

} // namespace

/// Calls \p Mark with each operation in \p R.
static void markRange(FlowGraph &G, SourceRange R, const SourceManager &SM,
                      llvm::function_ref<void(Op &)> Mark) {
  for (Block &B : G.Blocks)
    for (Op &O : B.Ops) {
      auto Loc = SourceLocation::getFromRawEncoding(O.Range.Begin);
      if (Loc.isValid() && !SM.isBeforeInTranslationUnit(Loc, R.getBegin()) &&
          !SM.isBeforeInTranslationUnit(R.getEnd(), Loc))
        Mark(O);
    }
}

void markAllowed(FlowGraph &G, const Stmt *Body, const SourceManager &SM) {
  AllowedFinder Finder;
  Finder.TraverseStmt(const_cast<Stmt *>(Body));
  for (SourceRange R : Finder.Ranges)
    markRange(G, R, SM, [](Op &O) { O.Allowed = true; });
}

void markTries(FlowGraph &G, const Stmt *Body, const SourceManager &SM,
               llvm::function_ref<FunctionId(const FunctionDecl *)> IdOf) {
  TryFinder Finder;
  Finder.TraverseStmt(const_cast<Stmt *>(Body));
  for (const CXXTryStmt *Try : Finder.Tries) {
    CalleeFinder Calls;
    for (unsigned I = 0; I < Try->getNumHandlers(); ++I)
      Calls.TraverseStmt(const_cast<CXXCatchStmt *>(Try->getHandler(I)));
    std::vector<FunctionId> &Ids = G.Handlers.emplace_back();
    for (const FunctionDecl *FD : Calls.Callees)
      Ids.push_back(IdOf(FD));
    markRange(G, Try->getTryBlock()->getSourceRange(), SM, [&](Op &O) {
      if (O.Kind == OpKind::Call)
        O.Try = G.Handlers.size();
    });
  }
}

void markOnce(FlowGraph &G, llvm::ArrayRef<OnceInitializer> Initializers,
              const SourceManager &SM) {
  for (const OnceInitializer &I : Initializers)
    markRange(G, I.Range, SM, [&](Op &O) {
      O.Once = true;
      if (O.Kind == OpKind::Call)
        O.OnceOf = I.OnceOf;
    });
  for (Block &B : G.Blocks)
    for (size_t I = B.Ops.size(); I-- > 0;) {
      if (B.Ops[I].Kind != OpKind::Assign || B.Ops[I].OnceOf == None)
        continue;
      size_t Last = I;
      for (size_t J = I + 1; J < B.Ops.size(); ++J)
        if (B.Ops[J].Kind == OpKind::Call && B.Ops[J].OnceOf == B.Ops[I].OnceOf)
          Last = J;
      std::rotate(B.Ops.begin() + I, B.Ops.begin() + I + 1,
                  B.Ops.begin() + Last + 1);
    }
}

} // namespace cudagraph
