//===- KeyShapes.h - The form of keys of graphs -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognizes expressions and calls that compare, look up, or only store. See
// CaptureKeys.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_KEYSHAPES_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_KEYSHAPES_H

#include "Relevance.h"

namespace cudagraph {

/// The variable or temporary at the place \p Id of \p G, or the one that
/// contains it; None for other places.
ExprId variableOf(const FlowGraph &G, ExprId Id);

/// The variables that \p Id, in \p G, names.
llvm::SmallVector<unsigned, 4> variablesIn(const FlowGraph &G, ExprId Id);

/// True for operators that compare a key with that of a graph.
bool isComparison(llvm::StringRef Name);

/// True if \p Id, of \p G, is an iterator of a range-based `for`: its
/// comparison concerns the current contents, not the earlier ones.
bool isOfRange(const FlowGraph &G, ExprId Id);

/// True if \p O only adds to a container other than a table, or prints, and
/// thus tests nothing.
bool fills(const Relevance &R, const Op &O);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_KEYSHAPES_H
