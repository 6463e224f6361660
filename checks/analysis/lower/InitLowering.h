//===- InitLowering.h - Initializers ----------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object is initialized member by member, element by element, by a
// constructor, or with one value.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_INITLOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_INITLOWERING_H

#include "ExprLowering.h"

namespace cudagraph {

class InitLowering {
public:
  explicit InitLowering(ExprLowering &L) : L(L) {}

  /// Initializes the object at \p Place from \p Init, which is stripped.
  void init(ExprId Place, const clang::Expr *Init);

private:
  void initRecord(ExprId Place, const clang::InitListExpr *List);
  void initArray(ExprId Place, const clang::InitListExpr *List);
  void initByConstructor(ExprId Place, const clang::CXXConstructExpr *E);

  ExprLowering &L;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_INITLOWERING_H
