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
#include <set>

namespace cudagraph {

TestedGraph::TestedGraph(Program &Table, FunctionId F)
    : E(Table, F), G(E.G), Preds(G.Blocks.size()), Above(G.Blocks.size(), None),
      Always(G.Blocks.size()) {
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

bool TestedGraph::alwaysReached(unsigned B) const {
  if (!Always[B])
    Always[B] = leadsOnlyTo(B);
  return *Always[B];
}

bool TestedGraph::leadsOnlyTo(unsigned B) const {
  if (Above[B] == None)
    return true;
  std::vector<unsigned> Work{Above[B]};
  std::set<unsigned> Seen{Above[B]};
  while (!Work.empty()) {
    const Block &From = G.Blocks[Work.back()];
    Work.pop_back();
    for (const Edge &Each : From.Succs) {
      if (Each.To > B)
        return false;
      if (Each.To != B && Seen.insert(Each.To).second)
        Work.push_back(Each.To);
    }
    if (From.Succs.empty())
      return false;
  }
  return true;
}

Cases TestedGraph::casesInto(unsigned B, EdgeCases OnEdge) const {
  unsigned Steps = MaxSteps;
  return casesInto(B, OnEdge, Steps);
}

Cases TestedGraph::casesInto(unsigned B, EdgeCases OnEdge,
                             unsigned &Steps) const {
  if (!Steps)
    return Cases::unknown();
  --Steps;
  Cases Here;
  for (auto [From, Each] : Preds[B]) {
    Cases Path = OnEdge(From, *Each);
    for (unsigned P = From; P != None && P > Above[B]; P = Above[P])
      if (!isLoopHead(G, P) && !alwaysReached(P))
        Path.restrict(casesInto(P, OnEdge, Steps));
    Here.add(Path);
  }
  return Here;
}

} // namespace cudagraph
