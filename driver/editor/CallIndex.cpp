//===- CallIndex.cpp - Names of catalogued functions in a file ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallIndex.h"
#include "analysis/lower/QualifiedName.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace clang;

namespace cudagraph::driver {
namespace {

class Finder : public RecursiveASTVisitor<Finder> {
public:
  Finder(const ASTContext &Ctx, const catalogue::Catalogue &Known)
      : Ctx(Ctx), SM(Ctx.getSourceManager()), Known(Known) {}
  std::vector<KnownCall> Calls;

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return false; }

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    note(E->getLocation(), E->getDecl());
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    note(E->getMemberLoc(), E->getMemberDecl());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    note(E->getLocation(), E->getConstructor());
    return true;
  }
  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *E) {
    if (Known.lookup(Launch))
      add(E->getCallee()->getExprLoc(), Launch);
    return true;
  }

private:
  static constexpr const char *Launch = "<<<>>>";
  const ASTContext &Ctx;
  const SourceManager &SM;
  const catalogue::Catalogue &Known;
  llvm::DenseMap<const FunctionDecl *, std::string> Names;

  void note(SourceLocation L, const ValueDecl *D) {
    const auto *FD = dyn_cast_or_null<FunctionDecl>(D);
    if (!FD)
      return;
    auto [It, New] = Names.try_emplace(FD->getCanonicalDecl());
    if (New) {
      std::string Name = canonicalQualifiedName(FD);
      const catalogue::Entry *E = Known.lookup(Name);
      // As in the analysis, a body in the source takes precedence over the
      // catalogue.
      bool Own = FD->hasBody() && !SM.isInSystemHeader(FD->getLocation()) &&
                 E && E->Reason.empty();
      if (E && !Own && !E->Outcomes.empty())
        It->second = E->Name;
    }
    if (!It->second.empty())
      add(L, It->second);
  }

  void add(SourceLocation L, const std::string &Name) {
    L = SM.getFileLoc(L);
    if (L.isInvalid() || !SM.isInMainFile(L))
      return;
    unsigned Column = SM.getSpellingColumnNumber(L);
    unsigned Length = Lexer::MeasureTokenLength(L, SM, Ctx.getLangOpts());
    Calls.push_back(
        {SM.getSpellingLineNumber(L), Column, Column + Length, Name});
  }
};

} // namespace

std::vector<KnownCall> knownCalls(const ASTContext &Ctx,
                                  const catalogue::Catalogue &Known) {
  Finder Found(Ctx, Known);
  for (Decl *D : Ctx.getTraversalScope())
    Found.TraverseDecl(D);
  auto Key = [](const KnownCall &C) {
    return std::tie(C.Line, C.Begin, C.Name);
  };
  llvm::sort(Found.Calls, [&](const KnownCall &A, const KnownCall &B) {
    return Key(A) < Key(B);
  });
  Found.Calls.erase(llvm::unique(Found.Calls,
                                 [&](const KnownCall &A, const KnownCall &B) {
                                   return Key(A) == Key(B);
                                 }),
                    Found.Calls.end());
  return std::move(Found.Calls);
}

} // namespace cudagraph::driver
