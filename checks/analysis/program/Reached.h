//===- Reached.h - Blocks that a block reaches ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search over the blocks of one function.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_REACHED_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_REACHED_H

#include "analysis/ir/FlowGraph.h"
#include "llvm/ADT/BitVector.h"

namespace cudagraph {

/// Returns block \p From of \p G and the blocks that it reaches without
/// passing block \p Past, which is not one of them. None: there is no such
/// block.
llvm::BitVector reachedFrom(const FlowGraph &G, unsigned From,
                            unsigned Past = None);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_REACHED_H
