//===- SeedFinder.cpp - Kernels that seed generators ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SeedFinder.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudagraph {

using catalogue::Role;

namespace {
/// Looks for a call that seeds a generator with numbers that do not come from
/// memory.
class SeedFinder : public DynamicRecursiveASTVisitor {
public:
  explicit SeedFinder(LibraryNames &Names) : Names(Names) {}

  bool Found = false;
  bool VisitCallExpr(CallExpr *E) override {
    const FunctionDecl *FD = E->getDirectCallee();
    if (!FD || E->getNumArgs() < 4 || !Names.is(FD, Role::SeedsGenerator))
      return true;
    Found |= llvm::all_of(llvm::ArrayRef(E->getArgs(), 3), [](const Expr *A) {
      MemoryFinder F;
      F.TraverseStmt(const_cast<Expr *>(A));
      return !F.Found;
    });
    return true;
  }

private:
  LibraryNames &Names;
  using Expr = clang::Expr;
  struct MemoryFinder : DynamicRecursiveASTVisitor {
    bool Found = false;
    bool VisitArraySubscriptExpr(ArraySubscriptExpr *) override {
      return !(Found = true);
    }
    bool VisitUnaryOperator(UnaryOperator *E) override {
      Found |= E->getOpcode() == UO_Deref;
      return true;
    }
    bool VisitMemberExpr(MemberExpr *E) override {
      Found |= E->isArrow();
      return true;
    }
    bool VisitCallExpr(CallExpr *) override { return !(Found = true); }
    bool VisitDeclRefExpr(DeclRefExpr *E) override {
      const auto *VD = dyn_cast<VarDecl>(E->getDecl());
      if (!VD || (VD->getType().getNonReferenceType()->isRecordType() &&
                  !VD->hasGlobalStorage()))
        return !(Found = true); // a part of something else
      if (VD->isLocalVarDecl() && VD->hasInit() && ++Depth < 8)
        TraverseStmt(const_cast<Expr *>(VD->getInit()));
      return true;
    }
    unsigned Depth = 0;
  };
};
} // namespace

bool seedsGenerator(const FunctionDecl *Kernel, LibraryNames &Names) {
  SeedFinder Finder(Names);
  Finder.TraverseStmt(Kernel->getBody());
  return Finder.Found;
}

} // namespace cudagraph
