//===- LambdaLowering.h - Lambda expressions --------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lambda expression creates an object; LambdaCaptures.h names its members.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_LAMBDALOWERING_H
#define CUDAGRAPH_ANALYSIS_LOWER_LAMBDALOWERING_H

#include "ExprLowering.h"

namespace cudagraph {

/// Stores the captures of \p E and returns the closure.
ExprId lowerLambda(ExprLowering &L, const clang::LambdaExpr *E);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_LAMBDALOWERING_H
