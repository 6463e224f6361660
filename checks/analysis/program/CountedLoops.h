//===- CountedLoops.h - Loops that count to a bound -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops of a flow graph around a block, and those that count a local
// variable up or down to a bound in constant steps.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_COUNTEDLOOPS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_COUNTEDLOOPS_H

#include "analysis/ir/FlowGraph.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace cudagraph {

/// The blocks of a loop: blocks are numbered in reverse post-order, so they are
/// those from Head to Last.
struct LoopRange {
  unsigned Head = 0, Last = 0;
};

/// Returns the loops of \p G around \p Block, the innermost first.
llvm::SmallVector<LoopRange, 2> loopsAround(const FlowGraph &G, unsigned Block);

/// Returns true if iterations of a loop begin at block \p Head of \p G.
bool isLoopHead(const FlowGraph &G, unsigned Head);

/// A loop that continues while `Var < Bound`, or `>`, `<=`, `>=`, `!=`.
struct CountedLoop {
  ExprId Var = None;   ///< the place of the counted variable
  ExprId Bound = None; ///< the value with which it is compared
  int64_t Step = 0;    ///< the number that each iteration adds to the variable
  bool Inclusive = false;

  /// Returns how often the body runs if the variable starts at \p First and the
  /// bound is \p Last; nothing if the loop does not end by counting.
  std::optional<uint64_t> rounds(int64_t First, int64_t Last) const;
};

/// A loop whose condition depends on a local variable that one operation
/// changes, such as `N /= 2`.
struct SteppedLoop {
  ExprId Var = None;  ///< the place of the variable
  ExprId Next = None; ///< its value after the operation
};

/// Returns the loop of \p G whose condition is in block \p Head, if nothing
/// else in the condition, or in that value, changes in the loop.
std::optional<SteppedLoop> steppedLoop(const FlowGraph &G, unsigned Head);

/// Returns the loop of \p G whose condition is in block \p Head, if it counts a
/// variable and does not write that variable elsewhere.
std::optional<CountedLoop> countedLoop(const FlowGraph &G, unsigned Head);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_COUNTEDLOOPS_H
