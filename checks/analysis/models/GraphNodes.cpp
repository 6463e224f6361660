//===- GraphNodes.cpp - Nodes that change after the instantiation ---------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An executable graph is a copy of the graph from which it was instantiated.
// Parameters that are set for a node of the graph do not change the copy:
// launches use the old ones, until the graph is instantiated again, or the
// executable graph is updated. See docs/checks/cudagraph-frozen-argument.md for
// the measured outcome.
//
//===----------------------------------------------------------------------===//

#include "GraphNodes.h"
#include "GraphModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// Handles \p C, which returns nodes of a graph.
void GraphModel::noteNodes(Call &C, State &S) {
  ValueId Graph = held(S, C.arg("graph")), Out = C.arg("nodes");
  if (Graph == None || D.asInt(Graph) || D.asInt(Out))
    return;
  ValueId Node = nodeOf(D, Graph);
  store(S, Out, Node);
  if (D[Out].Kind != ValueKind::Addr)
    return;
  if (const LocNode At = D.at(D[Out].A); At.Kind == LocKind::Elem)
    S.Mem.set(D.loc(LocKind::Elem, 0, At.A, None), Node);
}

/// True if the function that makes the call \p C also changes the same node of
/// an executable graph.
static bool alsoInExec(const Relevance &Rel, const Call &C) {
  auto NodeOf = [&](const Op &O, const catalogue::Entry &E) {
    std::optional<int> I = E.arg("node", O.Args.size());
    return I && *I >= 0 && static_cast<size_t>(*I) < O.Args.size()
               ? O.Args[*I].Value
               : None;
  };
  const ExprId Node = NodeOf(C.O, C.Api);
  return llvm::any_of(C.F.Graph->Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      const catalogue::Entry *E = O.Kind == OpKind::Call && O.Callee != None
                                      ? Rel.entryFor(O.Callee)
                                      : nullptr;
      return E && E->Does == catalogue::Effect::GraphUpdate && Node != None &&
             NodeOf(O, *E) == Node;
    });
  });
}

/// Handles \p C, which changes a node of a graph, but no executable graph.
void GraphModel::nodeChanged(Call &C, State &S) {
  ValueId Node = held(S, C.arg("node"));
  if (Node == None || S.OtherThread || S.InCallback || S.Failing ||
      alsoInExec(Rel, C))
    return;
  llvm::SmallVector<CaptureId, 2> Of;
  eachGraph(D, Node, [&](CaptureId Each) {
    if (S.Executable.contains(Each))
      Of.push_back(Each);
  });
  for (CaptureId Each : Of) {
    Fact Change = Use.Facts.at(C.F, C.O, S, Each);
    Change.Firm = false;
    Change.Weakest = Evidence::SomePaths; // the capture has ended
    Change.become<FactKind::Outdated>();
    Change.Api = &C.Api;
    Change.Callee = C.Api.Name;
    Change.restOn(Evidence::OldParameters);
    auto Same = llvm::find_if(NodeChanges, [&](const Fact &Old) {
      return Old.Range.Begin == Change.Range.Begin &&
             Old.Capture == Change.Capture;
    });
    S.Outdated.set(Each, (Same - NodeChanges.begin()) << 1);
    if (Same == NodeChanges.end())
      NodeChanges.push_back(std::move(Change));
  }
}

/// Handles the launch of \p Exec by \p C.
void GraphModel::launchOutdated(const Call &C, State &S, ValueId Exec) {
  if (Exec == None || S.Outdated.empty() || S.Failing || !S.Active.empty())
    return;
  eachGraph(D, Exec, [&](CaptureId Of) {
    std::optional<unsigned> Change = S.Outdated.lookup(Of);
    if (!Change)
      return;
    Fact Result = NodeChanges[*Change >> 1];
    auto &Launch = Result.become<FactKind::Outdated>();
    Launch.Where = C.O.Range;
    Launch.In = C.F.Function;
    Use.Facts.record(std::move(Result));
  });
}

} // namespace cudagraph
