//===- InitTargets.h - The object that an expression initializes *- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A constructor fills the object that its expression initializes, if the source
// names one, and otherwise a temporary. This class distinguishes the two.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_INITTARGETS_H
#define CUDAGRAPH_ANALYSIS_LOWER_INITTARGETS_H

#include "BodyIndex.h"
#include "LocalVariables.h"

namespace cudagraph {

class InitTargets {
public:
  /// Records the variables, members, and bases that \p Def initializes.
  InitTargets(const clang::FunctionDecl *Def, const BodyIndex &Index,
              LocalVariables &Vars, ExprBuilder &Exprs);

  /// Records that \p Init initializes the object at \p Place, unless an object
  /// is known for it. \p Member: a constructor's initializer.
  void add(const clang::Expr *Init, ExprId Place, bool Member = false);

  /// The object that \p E, a construction or a braced list, initializes; None
  /// if it creates a temporary.
  ExprId find(const clang::Expr *E) const;

  /// True if \p E is the object that an initializer of a constructor creates.
  /// Clang's CFG destroys it like a temporary.
  bool isMember(const clang::CXXBindTemporaryExpr *E) const {
    return Members.contains(E);
  }

private:
  llvm::DenseMap<const clang::Expr *, ExprId> Objects;
  llvm::DenseSet<const clang::CXXBindTemporaryExpr *> Members;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_INITTARGETS_H
