//===- PlaceLowering.h - Expressions that denote storage --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers glvalues, with one function for each kind. See ExprLowering.h for the
// meaning of a place.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_PLACELOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_PLACELOWERING_H

#include "ExprLowering.h"

namespace cudagraph {

class PlaceLowering {
public:
  explicit PlaceLowering(ExprLowering &L) : L(L), Exprs(L.Exprs) {}

  /// The storage that \p E, which is stripped, denotes; a temporary if it
  /// denotes none.
  ExprId of(const clang::Expr *E);

private:
  ExprId ofBase(const clang::CastExpr *E);
  ExprId ofCast(const clang::CastExpr *E);
  ExprId ofName(const clang::DeclRefExpr *E);
  ExprId ofMember(const clang::MemberExpr *E);
  ExprId ofUnary(const clang::UnaryOperator *E);
  ExprId ofSubscript(const clang::ArraySubscriptExpr *E);
  ExprId ofBinary(const clang::BinaryOperator *E);
  ExprId ofConditional(const clang::AbstractConditionalOperator *E);
  ExprId ofTemporary(const clang::MaterializeTemporaryExpr *E);
  ExprId ofConstruction(const clang::CXXConstructExpr *E);
  /// The temporary of \p Site, initialized from \p Init.
  ExprId temporary(const clang::Expr *Site, const clang::Expr *Init);
  ExprId nowhere() { return Exprs.deref(Exprs.unknown()); }

  ExprLowering &L;
  ExprBuilder &Exprs;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_PLACELOWERING_H
