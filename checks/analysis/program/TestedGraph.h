//===- TestedGraph.h - The tests before a block -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A flow graph with its tests, and the blocks through which all paths to a
// block lead.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_TESTEDGRAPH_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_TESTEDGRAPH_H

#include "ElementTests.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace cudagraph {

class TestedGraph {
public:
  TestedGraph(Program &Table, FunctionId F);

  /// Returns the last block, other than \p B, that every path to \p B passes;
  /// None for the entry.
  unsigned above(unsigned B) const { return Above[B]; }

  using EdgeCases = llvm::function_ref<Cases(unsigned From, const Edge &Each)>;
  /// Returns what holds where block \p B begins, below the block above it, if
  /// \p OnEdge holds on the edges between them.
  Cases casesInto(unsigned B, EdgeCases OnEdge) const;

  const ElementTests E;
  const FlowGraph &G;

private:
  /// Bound on the blocks between a block and the one above it.
  static constexpr unsigned MaxSteps = 40;
  Cases casesInto(unsigned B, EdgeCases OnEdge, unsigned &Steps) const;
  /// True if all paths from the block above \p B lead to \p B.
  bool alwaysReached(unsigned B) const;
  bool leadsOnlyTo(unsigned B) const;
  unsigned common(unsigned X, unsigned Y) const;

  std::vector<std::vector<std::pair<unsigned, const Edge *>>> Preds;
  std::vector<unsigned> Above;
  mutable std::vector<std::optional<bool>> Always; ///< see alwaysReached()
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_TESTEDGRAPH_H
