//===- GrowthOnDemand.cpp - Changes that a later call does not repeat -----===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that replaces a buffer if it is too small, or creates an object if there
// is none, stores the new size or the new object, so its condition is false
// afterwards. Replays do not need to repeat the bookkeeping of such code. See
// Model.h.
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "analysis/program/Reached.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

namespace cudagraph {

/// In functions with more blocks, no growth is recognized.
static constexpr unsigned MaxBlocksForGrowth = 400;

using PlaceNames = llvm::SmallSet<llvm::StringRef, 8>;

/// The members and globals that \p Cond reads.
static PlaceNames namesRead(const FlowGraph &G, ExprId Cond) {
  constexpr unsigned MaxParts = 32;
  PlaceNames Names;
  llvm::SmallVector<ExprId, 8> Work{Cond};
  for (unsigned I = 0; I < Work.size() && I < MaxParts; ++I) {
    if (Work[I] == None)
      continue;
    const Expr &E = G.Exprs[Work[I]];
    if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global) {
      Names.insert(E.S);
      continue; // not the object that contains it
    }
    Work.append({E.A, E.B, E.C});
  }
  return Names;
}

/// True if \p B stores a computed value in one of \p Names.
static bool setsOneOf(const FlowGraph &G, const Block &B,
                      const PlaceNames &Names) {
  return llvm::any_of(B.Ops, [&](const Op &O) {
    if (O.Kind != OpKind::Assign || O.ConstValue || O.Place == None)
      return false;
    const Expr &To = G.Exprs[O.Place];
    return (To.Kind == ExprKind::Field || To.Kind == ExprKind::Global) &&
           Names.contains(To.S);
  });
}

/// True if one of \p Blocks of \p G precedes block \p To.
static bool leadsTo(const FlowGraph &G, const llvm::BitVector &Blocks,
                    unsigned To) {
  return llvm::any_of(Blocks.set_bits(), [&](unsigned B) {
    return llvm::any_of(G.Blocks[B].Succs,
                        [&](const Edge &E) { return E.To == To; });
  });
}

/// True if one of \p Blocks of \p G contains the operation at \p Site.
static bool contains(const FlowGraph &G, const llvm::BitVector &Blocks,
                     Span Site) {
  return llvm::any_of(Blocks.set_bits(), [&](unsigned B) {
    return llvm::any_of(G.Blocks[B].Ops, [&](const Op &O) {
      return O.Range.Begin == Site.Begin;
    });
  });
}

/// True if block \p At of \p G is in a branch whose condition reads a member or
/// global that the branch, or a function of \p Callees, sets, unless the branch
/// contains the beginning \p Site of the region.
static bool growsAt(const FlowGraph &G, unsigned At, Span Site,
                    llvm::ArrayRef<const FlowGraph *> Callees) {
  if (G.Blocks.size() > MaxBlocksForGrowth)
    return false;
  for (unsigned P = 0; P < G.Blocks.size(); ++P) {
    const Block &B = G.Blocks[P];
    if (B.Cond == None || B.Succs.size() != 2)
      continue;
    PlaceNames Names = namesRead(G, B.Cond);
    if (Names.empty())
      continue;
    llvm::BitVector Mine = reachedFrom(G, B.Succs[0].To, P);
    llvm::BitVector Other = reachedFrom(G, B.Succs[1].To, P);
    if (Mine.test(At) == Other.test(At))
      continue;
    if (Other.test(At))
      std::swap(Mine, Other);
    if (leadsTo(G, Mine, P) && !leadsTo(G, Other, P))
      continue; // the body of a loop
    Mine.reset(Other);
    if (contains(G, Mine, Site))
      continue;
    for (unsigned I : Mine.set_bits())
      if (setsOneOf(G, G.Blocks[I], Names))
        return true;
    for (const FlowGraph *Callee : Callees)
      if (llvm::any_of(Callee->Blocks, [&](const Block &X) {
            return setsOneOf(*Callee, X, Names);
          }))
        return true;
  }
  return false;
}

bool growsOnDemand(const Frame &F, const CaptureRecord &R) {
  llvm::SmallVector<const FlowGraph *, 4> Callees;
  unsigned At = F.Block;
  for (const Frame *A = &F; A; At = A->CallBlock, A = A->Parent) {
    if (growsAt(*A->Graph, At, R.Site, Callees))
      return true;
    if (A->Function == R.Home)
      break;
    Callees.push_back(A->Graph);
  }
  return false;
}

} // namespace cudagraph
