//===- Components.cpp - Call graphs in the order of recursion -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's iterator does not recurse, so a chain of calls may have any length.
//
//===----------------------------------------------------------------------===//

#include "Components.h"
#include "llvm/ADT/SCCIterator.h"
#include <algorithm>

namespace cudagraph {
namespace {

struct Node {
  std::vector<Node *> Callees;
};

} // namespace
} // namespace cudagraph

template <> struct llvm::GraphTraits<cudagraph::Node *> {
  using NodeRef = cudagraph::Node *;
  using ChildIteratorType = std::vector<NodeRef>::iterator;
  static NodeRef getEntryNode(NodeRef N) { return N; }
  static ChildIteratorType child_begin(NodeRef N) { return N->Callees.begin(); }
  static ChildIteratorType child_end(NodeRef N) { return N->Callees.end(); }
};

namespace cudagraph {

Components::Components(const std::vector<std::vector<FunctionId>> &Callees) {
  size_t Count = Callees.size();
  for (const std::vector<FunctionId> &Each : Callees)
    for (FunctionId C : Each)
      Count = std::max<size_t>(Count, C + 1);
  Of.assign(Count, None);
  Recursive.assign(Count, false);
  // The last node calls all others, so that one search finds everything.
  std::vector<Node> Nodes(Count + 1);
  for (FunctionId F = 0; F < Count; ++F) {
    Nodes[Count].Callees.push_back(&Nodes[F]);
    if (F < Callees.size())
      for (FunctionId C : Callees[F])
        Nodes[F].Callees.push_back(&Nodes[C]);
  }
  for (auto It = llvm::scc_begin(&Nodes[Count]); !It.isAtEnd(); ++It) {
    std::vector<FunctionId> Functions;
    for (Node *N : *It)
      if (N != &Nodes[Count])
        Functions.push_back(N - Nodes.data());
    if (Functions.empty())
      continue;
    std::sort(Functions.begin(), Functions.end());
    for (FunctionId F : Functions) {
      Of[F] = Members.size();
      Recursive[F] = It.hasCycle();
    }
    Members.push_back(std::move(Functions));
  }
}

} // namespace cudagraph
