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

/// The nodes of \p Graph, in the order of their creation, each graph in it
/// followed by the nodes of that, and how many beyond the bound were left out.
/// \p File names host functions, \p Calls maps a node to its call.
Json nodesOf(const Driver &D, CUgraph Graph, Trace &File, size_t &LeftOut,
             const std::map<CUgraphNode, NodeCall> &Calls);

/// How many nodes \p Graph has, without those of graphs in it.
size_t topLevelNodes(const Driver &D, CUgraph Graph);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_NODES_H
