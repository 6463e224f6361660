//===- Reached.cpp - Blocks that a block reaches --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Reached.h.
//
//===----------------------------------------------------------------------===//

#include "Reached.h"
#include "llvm/ADT/SmallVector.h"

namespace cudagraph {

llvm::BitVector reachedFrom(const FlowGraph &G, unsigned From, unsigned Past) {
  llvm::BitVector Seen(G.Blocks.size());
  llvm::SmallVector<unsigned, 16> Work{From};
  while (!Work.empty()) {
    unsigned B = Work.pop_back_val();
    if (B == Past || Seen.test(B))
      continue;
    Seen.set(B);
    for (const Edge &E : G.Blocks[B].Succs)
      Work.push_back(E.To);
  }
  return Seen;
}

} // namespace cudagraph
