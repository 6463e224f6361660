//===- TupleLowering.h - Tuples, and calls with their elements --*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers tuples. Tuples.h describes the order of their elements.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_TUPLELOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_TUPLELOWERING_H

#include "ExprLowering.h"

namespace cudagraph {

class TupleLowering {
public:
  explicit TupleLowering(ExprLowering &L) : L(L) {}

  /// Returns the number of elements of \p T, or of its target, as a tuple;
  /// nothing if it is not a tuple.
  static std::optional<unsigned> sizeOf(clang::QualType T);

  /// Returns N if \p E is a call to std::get<N>.
  static std::optional<uint64_t> indexOf(const clang::CallExpr *E);

  /// Returns the tuple of \p Elements.
  /// \p Moves: a moved element is empty afterwards.
  ExprId make(llvm::ArrayRef<const clang::Expr *> Elements, bool Moves = false);

  /// Returns the place of the element that \p E, a call to std::get, returns;
  /// None for other elements.
  ExprId element(const clang::CallExpr *E);

  /// Lowers \p E, a call to std::apply, as a call to its callable with the
  /// elements; nothing if they are unknown.
  std::optional<ExprId> apply(const clang::CallExpr *E);

  /// Lowers the assignment \p E to the result of std::tie. \returns false for
  /// any other assignment.
  bool assignTied(const clang::CallExpr *E);

private:
  ExprLowering &L;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_TUPLELOWERING_H
