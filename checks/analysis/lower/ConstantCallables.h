//===- ConstantCallables.h - Functions in constant tables -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables of functions that nobody changes are read here, because calls through
// them are calls of what they list.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_CONSTANTCALLABLES_H
#define CUDAGRAPH_ANALYSIS_LOWER_CONSTANTCALLABLES_H

#include "ExprLowering.h"

namespace cudagraph {

/// A function pointer in a constant table or structure: what its initializer
/// says; for an element that is not known, any of them. None if \p E is not
/// one.
ExprId constantCallable(ExprLowering &L, const clang::Expr *E);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_CONSTANTCALLABLES_H
