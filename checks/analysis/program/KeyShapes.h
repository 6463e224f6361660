//===- KeyShapes.h - What keys of graphs look like --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions and calls that compare, look up, or only put away. See
// CaptureKeys.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_KEYSHAPES_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_KEYSHAPES_H

#include "Relevance.h"

namespace cudagraph {

/// The variable or temporary that the place \p Id of \p G is, or is a part of;
/// None if it is neither.
ExprId variableOf(const FlowGraph &G, ExprId Id);

/// The variables that \p Id, in \p G, names.
llvm::SmallVector<unsigned, 4> variablesIn(const FlowGraph &G, ExprId Id);

/// True for operators that compare a key with that of a graph.
bool isComparison(llvm::StringRef Name);

/// True if \p Id, of \p G, is an iterator of a range-based `for`: its
/// comparison says what is there, not what was there before.
bool isOfRange(const FlowGraph &G, ExprId Id);

/// True if \p O puts something into a container that is no table, or prints it:
/// it asks for nothing.
bool fills(const Relevance &R, const Op &O);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_KEYSHAPES_H
