//===- Renewals.cpp - Loops that repeat a capture -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Renewals.h.
//
//===----------------------------------------------------------------------===//

#include "Renewals.h"
#include "NodeTable.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

bool Renewals::has(CaptureId C, FunctionId In, unsigned Head) const {
  return llvm::any_of(Heads, [&](const auto &Each) {
    return W.sameCapture(Each.first, C) && Each.second.count({In, Head});
  });
}

void Renewals::note(const Frame &F, CaptureId Begun) {
  for (const Frame *A = &F; A; A = A->Parent) {
    unsigned Inner = A->Block;
    for (const LoopRange &L : loopsAround(*A->Graph, A->Block)) {
      if (!Shapes.passesEachRound(A->Graph, Inner))
        return;
      Heads[Begun].insert({A->Function, L.Head});
      Inner = L.Head;
    }
    if (!Shapes.mustReach(A->Graph, 0, Inner))
      return;
  }
}

bool Renewals::isAround(const Frame &F, CaptureId C) const {
  unsigned Block = F.Block;
  for (const Frame *A = &F; A; Block = A->CallBlock, A = A->Parent)
    for (const LoopRange &Loop : loopsAround(*A->Graph, Block))
      if (has(C, A->Function, Loop.Head))
        return true;
  return false;
}

bool Renewals::differs(ValueId V, CaptureId Of) const {
  bool Differs = false;
  D.visitTree(V, [&](ValueId Part) {
    std::optional<Domain::Site> Met = D.joinOf(Part);
    const FlowGraph *G = Met ? Table.graph(Met->In) : nullptr;
    bool Renewed = Met && Of != EarlierCapture && has(Of, Met->In, Met->Index);
    Differs |=
        G && !Renewed &&
        llvm::any_of(loopsAround(*G, Met->Index), [&](const LoopRange &Loop) {
          return Loop.Head == Met->Index;
        });
  });
  return Differs;
}

} // namespace cudagraph
