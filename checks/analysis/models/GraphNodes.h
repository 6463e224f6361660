//===- GraphNodes.h - The nodes of a graph ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_GRAPHNODES_H
#define CUDAGRAPH_ANALYSIS_MODELS_GRAPHNODES_H

#include "analysis/domain/Domain.h"

namespace cudagraph {

/// Returns any node of the graph \p Graph: the nodes of a graph have no names.
inline ValueId nodeOf(Domain &D, ValueId Graph) {
  const ValueNode N = D[Graph];
  return N.Kind == ValueKind::Graph
             ? D.value(ValueKind::Graph, N.N, N.A, N.B, "node")
             : D.value(ValueKind::Op, 0, Graph, None, "node");
}

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_GRAPHNODES_H
