//===- PathSearch.h - Paths on which local flags are known ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Visits the paths of one flow graph. Constants that a path assigns to local
// variables decide the branches that it takes later, such as those on a flag.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_PATHSEARCH_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_PATHSEARCH_H

#include "analysis/ir/FlowGraph.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <optional>

namespace cudagraph {

/// Numbers of variables, resultKey() of calls, or placeKey() of other places,
/// and their values.
using KnownNumbers = std::map<int64_t, int64_t>;

/// The key for the result of the call with the number \p Index.
inline int64_t resultKey(int64_t Index) { return -2 - Index; }

/// The key for the contents of the place \p Id of a graph.
inline int64_t placeKey(ExprId Id) { return (int64_t(1) << 40) + Id; }

/// Returns the number that \p E, a value of \p G, has if \p Known holds;
/// nothing if that is not sufficient.
std::optional<int64_t> fold(const FlowGraph &G, ExprId E,
                            const KnownNumbers &Known);

struct PathVisitor {
  /// Called for each operation that sets a local variable, before it does.
  /// \returns false to leave the path.
  llvm::function_ref<bool(const Op &)> Sets;
  /// Called for each edge. \returns the mark of the path after it, or nothing
  /// to leave the path.
  llvm::function_ref<std::optional<int>(unsigned From, const Edge &E, int Mark)>
      Takes;
};

/// Visits the paths of \p G that begin after operation \p Index of block
/// \p From, with the mark 0. \returns false if there are too many.
bool visitPaths(const FlowGraph &G, unsigned From, size_t Index,
                KnownNumbers Known, const PathVisitor &Visit);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_PATHSEARCH_H
