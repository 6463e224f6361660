//===- SplitBlocks.h - Branches inside one statement ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call to a library function such as std::visit makes one of several calls.
// Clang's CFG has no branch there, so lowering adds it afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_SPLITBLOCKS_H
#define CUDAGRAPH_ANALYSIS_LOWER_SPLITBLOCKS_H

#include "analysis/ir/FlowGraph.h"

namespace cudagraph {

/// Consecutive operations of one block. One part of them is executed.
struct Choice {
  unsigned Block = 0;
  size_t Begin = 0; ///< the first operation
  /// Alternative I is executed if this value is I. Its operations end at
  /// Ends[I], where those of the next one begin.
  ExprId Number = None;
  std::vector<size_t> Ends;
  Span Range;
};

/// Splits the blocks of \p G at \p Choices, and numbers all blocks again.
void splitBlocks(FlowGraph &G, std::vector<Choice> Choices);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_SPLITBLOCKS_H
