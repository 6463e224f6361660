//===- LastNodes.cpp - Nodes of a capture that a query returns ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// During a capture, a query of the stream returns the nodes that the next node
// will depend on: those that were added last. Programs keep them to change
// their parameters later.
//
//===----------------------------------------------------------------------===//

#include "GraphNodes.h"

namespace cudagraph {

void storeLastNodes(Domain &D, State &S, ValueId Out, int64_t Site,
                    CaptureId Of) {
  if (D.asInt(Out))
    return; // not requested
  // The array belongs to CUDA.
  ValueId First = D.opaque(Site);
  LocId Array = D.pointee(First);
  ValueId Node = nodeOf(D, D.value(ValueKind::Graph, Site, Of));
  assign(D, S, D.pointee(Out), First);
  S.Mem.set(Array, Node);
  S.Mem.set(D.loc(LocKind::Elem, 0, Array, None), Node);
}

} // namespace cudagraph
