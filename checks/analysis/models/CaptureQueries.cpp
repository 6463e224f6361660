//===- CaptureQueries.cpp - Queries of a capture --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A query returns the status of a stream. During a capture, it also returns the
// nodes that the next node will depend on: those that were added last. Programs
// keep them to change their parameters later.
//
//===----------------------------------------------------------------------===//

#include "CaptureModel.h"
#include "GraphNodes.h"

namespace cudagraph {

using catalogue::StreamKind;
using catalogue::StreamRelation;

/// Stores a pointer to the nodes that the next node of capture \p Of will
/// depend on at the target of \p Out. \p Site is the location of the query.
static void storeLastNodes(Domain &D, State &S, ValueId Out, int64_t Site,
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

/// Handles a query of the capture status. \returns false if the call throws.
bool CaptureModel::query(Call &C, State &S) {
  ValueId Status = statusOf(C, S);
  store(S, C.arg("status"), Status);
  if (ValueId Out = C.arg("dependencies"); Out != None && !S.Active.empty()) {
    std::optional<Member> Of =
        Streams.memberOf(S, C.Stream, Table.info(C.F.Function).PerThread);
    storeLastNodes(D, S, Out, C.Site, Of ? Of->Capture : S.Active.back());
  }
  if (C.Api.Returns == "capture-status" || C.Api.Returns == "bool-capturing")
    C.Returned = Status;
  else if (C.Api.has(catalogue::Trait::Throws) && !S.Active.empty())
    return false;
  return true;
}

/// The status that a query returns: 0 none, 1 active. If it is unknown whether
/// the stream takes part, the guard is trusted.
ValueId CaptureModel::statusOf(const Call &C, State &S) {
  if (S.Active.empty())
    return D.integer(0);
  if (!C.HasStream)
    return D.integer(1);
  bool PerThread = Table.info(C.F.Function).PerThread;
  for (CaptureId Each : S.Active)
    for (StreamRelation R : Streams.relations(S, Each, C.Stream, PerThread)) {
      bool Foreign = R == StreamRelation::Other ||
                     R == StreamRelation::PerThread ||
                     (R == StreamRelation::Legacy &&
                      Result.Captures[Each].Kind == StreamKind::NonBlocking);
      if (!Foreign)
        return D.integer(1);
    }
  return D.integer(0);
}

} // namespace cudagraph
