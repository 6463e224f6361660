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

/// A function pointer in a constant table or structure: its initializer; for an
/// unknown element, any of them. None if \p E is not one.
ExprId constantCallable(ExprLowering &L, const clang::Expr *E);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_CONSTANTCALLABLES_H
