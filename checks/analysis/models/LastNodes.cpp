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

#include "CaptureModel.h"
#include "GraphNodes.h"

namespace cudagraph {

/// Handles the query \p C, which may return nodes.
void CaptureModel::noteLastNodes(const Call &C, State &S) {
  ValueId Out = C.arg("dependencies");
  if (Out == None || D.asInt(Out) || S.Active.empty())
    return;
  std::optional<Member> Of =
      Streams.memberOf(S, C.Stream, Table.info(C.F.Function).PerThread);
  CaptureId In = Of ? Of->Capture : S.Active.back();
  ValueId Node = nodeOf(D, D.value(ValueKind::Graph, C.Site, In));
  // The array belongs to CUDA.
  ValueId First = D.opaque(C.Site);
  LocId Array = D.pointee(First);
  store(S, Out, First);
  S.Mem.set(Array, Node);
  S.Mem.set(D.loc(LocKind::Elem, 0, Array, None), Node);
}

} // namespace cudagraph
