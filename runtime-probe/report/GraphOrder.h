//===- GraphOrder.h - The order of nodes in a graph -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node runs after another node if a path of dependencies leads to it. Nodes
// without such a path may run at the same time.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_GRAPHORDER_H
#define CUDAGRAPH_PROBE_GRAPHORDER_H

#include "Access.h"
#include "llvm/ADT/BitVector.h"

namespace cudagraph::probe {

class GraphOrder {
public:
  /// Nothing if the trace lacks the dependencies, or the graph is too large or
  /// contains other graphs.
  static std::optional<GraphOrder> of(llvm::ArrayRef<TraceNode> Nodes);

  bool isOrdered(size_t A, size_t B) const {
    return Before[A].test(B) || Before[B].test(A);
  }

private:
  std::vector<llvm::BitVector> Before; ///< by node: those that it waits for
};

/// True if both use the same bytes, and one writes them.
bool conflict(llvm::ArrayRef<Access> A, llvm::ArrayRef<Access> B);

/// The memory that a node uses.
struct NodeMemory {
  std::vector<int> Holders; ///< for each use: the index of its range, or -1
  uint64_t Mask = 0;        ///< two nodes with disjoint masks share no memory
};
NodeMemory memoryOf(llvm::ArrayRef<Access> Uses,
                    llvm::ArrayRef<TraceRange> Memory);

/// True if \p A and \p B use one range, or overlapping addresses.
bool shareMemory(llvm::ArrayRef<Access> A, const NodeMemory &OfA,
                 llvm::ArrayRef<Access> B, const NodeMemory &OfB);

/// False for nodes that only order others.
bool mayUseMemory(const TraceNode &N);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_GRAPHORDER_H
