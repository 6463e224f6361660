//===- AnchoredOps.cpp - Operations without a statement -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AnchoredOps.h"
#include "versions/ClangVersions.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace cudagraph {
namespace {

/// Maps every part of a statement to the statement, unless the part also
/// belongs to another statement.
class PartMapper : public DynamicRecursiveASTVisitor {
public:
  PartMapper(const Stmt *Whole, llvm::DenseMap<const Stmt *, const Stmt *> &Of)
      : Whole(Whole), Of(Of) {}
  bool VisitStmt(Stmt *S) override {
    Of.try_emplace(S, Whole);
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr *E) override { return VisitStmt(E); }

private:
  const Stmt *Whole;
  llvm::DenseMap<const Stmt *, const Stmt *> &Of;
};

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

AnchoredOps::AnchoredOps(std::vector<AnchoredOp> Ops, const SourceManager &SM) {
  std::vector<const Stmt *> Anchors;
  for (AnchoredOp &Each : Ops) {
    std::vector<Op> &Here = At[Each.Anchor];
    if (Here.empty())
      Anchors.push_back(Each.Anchor);
    Here.push_back(std::move(Each.Operation));
  }
  // Inner anchors first, so that they take precedence.
  llvm::sort(Anchors, [&](const Stmt *A, const Stmt *B) {
    return SM.isBeforeInTranslationUnit(B->getBeginLoc(), A->getBeginLoc());
  });
  for (const Stmt *A : Anchors)
    PartMapper(A, AnchorOf).TraverseStmt(const_cast<Stmt *>(A));
}

std::vector<Op> AnchoredOps::takeBefore(const Stmt *S) {
  auto It = AnchorOf.find(S);
  if (It == AnchorOf.end())
    return {};
  return std::exchange(At.find(It->second)->second, {});
}

std::vector<Op> AnchoredOps::left() const {
  std::vector<Op> Result;
  for (const auto &[Anchor, Ops] : At)
    llvm::append_range(Result, Ops);
  return Result;
}

std::vector<const CompoundStmt *> compoundsOf(const Stmt *Body) {
  CompoundCollector C;
  C.TraverseStmt(const_cast<Stmt *>(Body));
  return std::move(C.Found);
}

} // namespace cudagraph
