//===- TableQueries.h - Code that asks a table for a key --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls to library functions that return whether a table has a key:
// `table.count(key)`, `table.find(key) == table.end()`.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_INTERPRETER_TABLEQUERIES_H
#define CUDAGRAPH_ANALYSIS_INTERPRETER_TABLEQUERIES_H

#include "Evaluator.h"

namespace cudagraph {

/// Returns the result of the call \p O to the library function \p Callee, if it
/// asks for a key, and the answer is known; otherwise, nothing.
std::optional<bool> asksForKey(Walk &W, Evaluator &Values, const Frame &F,
                               const Op &O, State &S, FunctionId Callee,
                               llvm::ArrayRef<ValueId> Args);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_INTERPRETER_TABLEQUERIES_H
