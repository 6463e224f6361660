//===- GraphPasses.h - Facts about a whole flow graph -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What shows only when all blocks of a function are lowered.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_GRAPHPASSES_H
#define CUDAGRAPH_ANALYSIS_LOWER_GRAPHPASSES_H

#include "analysis/ir/FlowGraph.h"

namespace cudagraph {

/// Removes the ends of variables whose address nobody has.
void dropIdleEnds(FlowGraph &G);

/// Propagates NeverReturns backwards: a block all of whose successors never
/// return does not return either.
void propagateNeverReturns(FlowGraph &G);

/// Fills KeptResults: which calls' results are used in another block than their
/// own.
void findKeptResults(FlowGraph &G);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_GRAPHPASSES_H
