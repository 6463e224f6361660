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

/// The nodes of \p Graph, in the order of their creation, and the number of
/// nodes omitted beyond the bound. \p File names host functions.
Json nodesOf(const Driver &D, CUgraph Graph, Trace &File, size_t &LeftOut);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_NODES_H
