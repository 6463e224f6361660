//===- TupleLowering.h - Tuples, and calls with their elements --*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which element of a tuple is which: see Tuples.h.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_TUPLELOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_TUPLELOWERING_H

#include "ExprLowering.h"

namespace cudagraph {

class TupleLowering {
public:
  explicit TupleLowering(ExprLowering &L) : L(L) {}

  /// Returns how many elements \p T, or what it refers to, has as a tuple;
  /// nothing if it is none.
  static std::optional<unsigned> sizeOf(clang::QualType T);

  /// Returns the tuple of \p Elements.
  ExprId make(llvm::ArrayRef<const clang::Expr *> Elements);

  /// Returns the place of the element that \p E, a call of std::get, asks for;
  /// None if it asks for something else.
  ExprId element(const clang::CallExpr *E);

  /// Lowers \p E, a call of std::apply, as a call of what it is given with the
  /// elements; nothing if that cannot be told.
  std::optional<ExprId> apply(const clang::CallExpr *E);

  /// Lowers the assignment \p E to what std::tie names. \returns false if it is
  /// something else.
  bool assignTied(const clang::CallExpr *E);

private:
  ExprLowering &L;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_TUPLELOWERING_H
