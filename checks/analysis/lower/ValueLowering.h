//===- ValueLowering.h - Expressions that compute values --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers prvalues, and the contents of glvalues. See ExprLowering.h for the
// meaning of a value.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_VALUELOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_VALUELOWERING_H

#include "ExprLowering.h"

namespace cudagraph {

class ValueLowering {
public:
  explicit ValueLowering(ExprLowering &L) : L(L), Exprs(L.Exprs) {}

  /// The value of \p E, which is stripped.
  ExprId of(const clang::Expr *E);

private:
  // None for expressions of other kinds.
  ExprId ofLiteral(const clang::Expr *E);
  ExprId ofOperator(const clang::Expr *E);
  ExprId ofObject(const clang::Expr *E);

  ExprId ofCast(const clang::CastExpr *E);
  ExprId ofLoad(const clang::Expr *E);
  ExprId ofName(const clang::DeclRefExpr *E);
  ExprId ofUnary(const clang::UnaryOperator *E);
  ExprId ofBinary(const clang::BinaryOperator *E);
  ExprId ofConditional(const clang::AbstractConditionalOperator *E);
  ExprId ofInitList(const clang::InitListExpr *E);
  ExprId ofStatement(const clang::StmtExpr *E);
  /// The address of the first element of the array \p E.
  ExprId firstElement(const clang::Expr *E);
  /// The function that \p E names, or None.
  ExprId ofFunctionName(const clang::Expr *E);

  ExprLowering &L;
  ExprBuilder &Exprs;
};

/// Returns a positive number that represents \p Text: equal literals, such as
/// keys, have equal numbers.
int64_t numberOf(const clang::StringLiteral *Text);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_VALUELOWERING_H
