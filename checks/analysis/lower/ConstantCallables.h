//===- ConstantCallables.h - Functions in constant tables -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads constant tables of functions, because calls through them are calls to
// the listed functions.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_CONSTANTCALLABLES_H
#define CUDAGRAPH_ANALYSIS_LOWER_CONSTANTCALLABLES_H

#include "ExprLowering.h"

namespace cudagraph {

/// The initializer of the function pointer \p E in a constant table or
/// structure; for an unknown element, any of the initializers. None if \p E is
/// not such a pointer.
ExprId constantCallable(ExprLowering &L, const clang::Expr *E);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_CONSTANTCALLABLES_H
