//===- BodyIndex.h - An index of a function body ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some facts that lowering a statement needs depend on the enclosing statement.
// One pass over the body, before its blocks are walked, collects them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_BODYINDEX_H
#define CUDAGRAPH_ANALYSIS_LOWER_BODYINDEX_H

#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseSet.h"
#include <vector>

namespace cudagraph {

/// The facts about one body, without the lambdas and local classes in it.
struct BodyIndex {
  BodyIndex(const clang::Stmt *Body, const clang::ASTContext &Context);

  /// Variables of automatic storage duration that an initializer fills, in
  /// source order.
  std::vector<const clang::VarDecl *> Initialized;
  /// Expressions that create one object on the heap, and initialize it.
  std::vector<const clang::CXXNewExpr *> Created;
  /// Calls whose results are ignored.
  llvm::DenseSet<const clang::Stmt *> Discarded;
  /// Expressions that are never evaluated, although Clang's CFG contains them:
  /// the operands of noexcept and of functions such as __builtin_constant_p.
  llvm::DenseSet<const clang::Stmt *> Unevaluated;
  /// Temporaries that are parameters: the callee ends their lifetimes.
  llvm::DenseSet<const clang::CXXBindTemporaryExpr *> Parameters;
  bool Catches = false; ///< there is a try block
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_BODYINDEX_H
