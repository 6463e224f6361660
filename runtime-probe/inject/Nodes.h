//===- Nodes.h - The contents of a captured graph ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_NODES_H
#define CUDAGRAPH_PROBE_NODES_H

#include "Libraries.h"
#include "Trace.h"

namespace cudagraph::probe {

/// The call that created a node: its stack, and its stream.
struct NodeCall {
  unsigned Stack = 0;
  const void *Stream = nullptr;
};

/// The nodes of \p Graph, in the order of their creation; the nodes of a child
/// graph follow its own node. \p LeftOut receives the number of nodes that were
/// omitted because of the limit. \p File names host functions; \p Calls maps a
/// node to its call.
Json nodesOf(const Driver &D, CUgraph Graph, Trace &File, size_t &LeftOut,
             const std::map<CUgraphNode, NodeCall> &Calls);

/// The event that \p Node waits for or records, or null.
CUevent eventOf(const Driver &D, CUgraphNode Node);

/// The number of nodes in \p Graph, not counting those of nested graphs.
size_t topLevelNodes(const Driver &D, CUgraph Graph);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_NODES_H
