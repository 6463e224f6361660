//===- TestedGraph.cpp - The tests before a block -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TestedGraph.h.
//
//===----------------------------------------------------------------------===//

#include "TestedGraph.h"
#include "CountedLoops.h"

namespace cudagraph {

TestedGraph::TestedGraph(Program &Table, FunctionId F)
    : E(Table, F), G(E.G), Preds(G.Blocks.size()),
      Above(G.Blocks.size(), None) {
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    for (const Edge &Each : G.Blocks[B].Succs)
      if (Each.To > B) // not back to the head of a loop
        Preds[Each.To].push_back({B, &Each});
  for (unsigned B = 1; B < G.Blocks.size(); ++B)
    for (auto [From, Each] : Preds[B])
      Above[B] = Above[B] == None ? From : common(Above[B], From);
}

unsigned TestedGraph::common(unsigned X, unsigned Y) const {
  while (X != Y && X != None && Y != None)
    (X > Y ? X : Y) = Above[std::max(X, Y)];
  return X == Y ? X : 0;
}

Cases TestedGraph::casesInto(unsigned B, EdgeCases OnEdge) const {
  Cases Here;
  for (auto [From, Each] : Preds[B]) {
    Cases Path = OnEdge(From, *Each);
    for (unsigned P = From; P != None && P > Above[B]; P = Above[P])
      if (Preds[P].size() == 1 && !isLoopHead(G, P))
        Path.restrict(OnEdge(Preds[P][0].first, *Preds[P][0].second));
    Here.add(Path);
  }
  return Here;
}

} // namespace cudagraph
