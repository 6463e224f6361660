//===- GraphOrder.cpp - The order of the nodes of a graph -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphOrder.h"

using namespace llvm;

namespace cudagraph::probe {
namespace {

/// More nodes than this would make a long trace slow to read.
constexpr size_t MostNodes = 1024;

} // namespace

std::optional<GraphOrder> GraphOrder::of(ArrayRef<TraceNode> Nodes) {
  if (Nodes.size() > MostNodes || any_of(Nodes, [](const TraceNode &N) {
        return !N.After || N.Depth || N.Type == "graph";
      }))
    return std::nullopt;
  GraphOrder Result;
  Result.Before.assign(Nodes.size(), BitVector(unsigned(Nodes.size())));
  // Usually the nodes are in an order in which one pass is enough.
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (size_t I = 0; I < Nodes.size(); ++I)
      for (size_t Earlier : *Nodes[I].After) {
        if (Earlier >= Nodes.size() || Earlier == I)
          return std::nullopt;
        BitVector All = Result.Before[Earlier];
        All.set(unsigned(Earlier));
        if (All.test(Result.Before[I])) {
          Result.Before[I] |= All;
          Changed = true;
        }
      }
  }
  return Result;
}

bool conflict(ArrayRef<Access> A, ArrayRef<Access> B) {
  for (const Access &Mine : A)
    if (any_of(B, [&](const Access &Other) { return Mine.conflicts(Other); }))
      return true;
  return false;
}

NodeMemory memoryOf(ArrayRef<Access> Uses, ArrayRef<TraceRange> Memory) {
  NodeMemory Result;
  for (const Access &Use : Uses) {
    const auto *It = find_if(
        Memory, [&](const TraceRange &M) { return M.holds(Use.Address); });
    int Index = It == Memory.end() ? -1 : int(It - Memory.begin());
    Result.Holders.push_back(Index);
    Result.Mask |= Index < 0 ? ~uint64_t(0) : uint64_t(1) << (Index % 64);
  }
  return Result;
}

bool shareMemory(ArrayRef<Access> A, const NodeMemory &OfA, ArrayRef<Access> B,
                 const NodeMemory &OfB) {
  for (size_t I = 0; I < A.size(); ++I)
    for (size_t J = 0; J < B.size(); ++J)
      if ((OfA.Holders[I] >= 0 && OfA.Holders[I] == OfB.Holders[J]) ||
          A[I].overlaps(B[J]))
        return true;
  return false;
}

bool mayUseMemory(const TraceNode &N) {
  return N.Type != "empty" && N.Type != "wait" && N.Type != "record";
}

} // namespace cudagraph::probe
