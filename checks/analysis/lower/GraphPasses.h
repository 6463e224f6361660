//===- GraphPasses.h - Passes over a whole flow graph -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes properties that require all blocks of a function.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_GRAPHPASSES_H
#define CUDAGRAPH_ANALYSIS_LOWER_GRAPHPASSES_H

#include "analysis/ir/FlowGraph.h"

namespace cudagraph {

/// Removes the ends of the lifetimes of temporaries whose addresses are never
/// taken, and of such variables at the end of the function.
void dropIdleEnds(FlowGraph &G);

/// Treats `next = f(x); ... x = next;` like `x = f(x);` for a member or global
/// x and a local variable next, if each is written once.
void findSteps(FlowGraph &G);

/// Propagates NeverReturns backward: if no successor of a block returns, the
/// block does not return either.
void propagateNeverReturns(FlowGraph &G);

/// Fills LiveResults: the calls whose results are used in another block.
void findLiveResults(FlowGraph &G);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_GRAPHPASSES_H
