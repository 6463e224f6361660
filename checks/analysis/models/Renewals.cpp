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

Renewals::Blocks Renewals::blocksOf(const Frame &F) {
  Blocks Result;
  unsigned Block = F.Block;
  for (const Frame *A = &F; A; Block = A->CallBlock, A = A->Parent)
    Result.push_back({A->Function, Block});
  return Result;
}

void Renewals::note(const Frame &F, CaptureId Begun) {
  llvm::append_range(Began[Begun], blocksOf(F));
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

/// True if \p V, a phi, is the address of one object, or null.
static bool isOneOrNull(const Domain &D, ValueId V) {
  unsigned Objects = 0, Others = 0;
  for (ValueId Each : D.candidates(V)) {
    ValueKind K = D[Each].Kind;
    bool Object = K == ValueKind::Addr || K == ValueKind::Memory;
    Objects += Object;
    Others += !Object && D.asInt(Each) != 0;
  }
  return Objects == 1 && !Others && !D.overflowed(V) &&
         !isOfSomeElement(D, D[V].A);
}

/// True if the loop at \p Head of \p G, and the loops around it, have ended
/// before \p Now and before the beginning of \p Of. Both are in \p In, or in
/// functions that it calls.
bool Renewals::hasEnded(const FlowGraph &G, FunctionId In, unsigned Head,
                        CaptureId Of, const Blocks &Now) const {
  auto Capture = Began.find(Of);
  if (Capture == Began.end())
    return false;
  unsigned Last = 0;
  for (const LoopRange &Loop : loopsAround(G, Head))
    Last = std::max(Last, Loop.Last);
  auto IsBehind = [&](const Blocks &Where) {
    bool Found = false;
    for (auto [F, Block] : Where) {
      if (F == In && Block <= Last)
        return false;
      Found |= F == In;
    }
    return Found;
  };
  return IsBehind(Now) && IsBehind(Capture->second);
}

bool Renewals::differs(ValueId V, CaptureId Of, const Blocks &Now) const {
  bool Differs = false;
  D.visitTree(V, [&](ValueId Part) {
    std::optional<Domain::Site> Met = D.joinOf(Part);
    const FlowGraph *G = Met ? Table.graph(Met->In) : nullptr;
    bool Renewed = Met && Of != EarlierCapture && has(Of, Met->In, Met->Index);
    Differs |=
        G && !Renewed && isLoopHead(*G, Met->Index) &&
        (!isOneOrNull(D, Part) || !hasEnded(*G, Met->In, Met->Index, Of, Now));
  });
  return Differs;
}

} // namespace cudagraph
