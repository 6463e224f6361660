//===- Deleters.h - Deleters of smart pointers ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A smart pointer may be created with a callable that releases its object: for
// example, one that returns a buffer to its pool. In flow graphs, the callable
// is a member of the object.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_DELETERS_H
#define CUDAGRAPH_ANALYSIS_LOWER_DELETERS_H

#include "ExprLowering.h"

namespace cudagraph {

class Deleters {
public:
  explicit Deleters(ExprLowering &L) : L(L), Exprs(L.Exprs) {}

  /// Stores the callable among \p Args, with which the smart pointer at
  /// \p Owner is created, if there is one.
  void store(ExprId Owner, llvm::ArrayRef<const clang::Expr *> Args);

  /// True if the program creates smart pointers of class \p Owner with a
  /// callable.
  static bool mayBeStored(const clang::ClassTemplateSpecializationDecl *Owner);

  /// The callable that was stored for the object with the address \p Object.
  ExprId of(ExprId Object);

  /// Calls the callable that was stored for the object with the address
  /// \p Object, if it is not null.
  void call(ExprId Object, Span Where);

  /// A value that is false if \p Object is null, or if there is such a
  /// callable.
  ExprId isDefault(ExprId Object);

private:
  ExprId place(ExprId Object);

  ExprLowering &L;
  ExprBuilder &Exprs;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_DELETERS_H
