//===- ThreadOrder.cpp - What threads do before or after a capture --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that is alive when a capture begins may be anywhere in its body.
// Three patterns show that the program may separate a call made by that thread
// from the capture. Both run under a lock, the thread waits before the call, or
// the thread signals after the call and does not repeat it. Such a call is only
// possible during the capture.
//
//===----------------------------------------------------------------------===//

#include "LockedSections.h"
#include "ThreadModel.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

namespace cudagraph {

/// True if \p F, or one of its callers below \p Above, may hold a lock when it
/// executes \p O.
bool ThreadModel::isLocked(const Frame &F, const Op &O,
                           const Frame *Above) const {
  const Op *Here = &O;
  for (const Frame *A = &F; A && A != Above; Here = A->CallSite, A = A->Parent)
    if (holdsLock(Table, Rel, *A->Graph, Here->Range))
      return true;
  return false;
}

/// True if \p O of block \p At of \p G is followed by a signal to other
/// threads.
bool ThreadModel::signalsAfter(const FlowGraph &G, unsigned At,
                               const Op &O) const {
  auto Signals = [&](const Op &Each) {
    return Each.Kind == OpKind::Call && Each.Callee != None &&
           Rel.rolesOf(Each.Callee).has(catalogue::Role::Signals);
  };
  bool Passed = false;
  for (const Op &Each : G.Blocks[At].Ops) {
    if (Passed && Signals(Each))
      return true;
    Passed |= Each.Kind == O.Kind && Each.Range.Begin == O.Range.Begin;
  }
  llvm::BitVector Seen(G.Blocks.size());
  llvm::SmallVector<unsigned, 16> Work{At};
  while (!Work.empty())
    for (const Edge &E : G.Blocks[Work.pop_back_val()].Succs)
      if (E.To < G.Blocks.size() && !Seen.test(E.To)) {
        Seen.set(E.To);
        Work.push_back(E.To);
        if (llvm::any_of(G.Blocks[E.To].Ops, Signals))
          return true;
      }
  return false;
}

/// True if a thread makes the call \p C once, and signals afterwards.
bool ThreadModel::isAnnounced(const Call &C) const {
  const Op *Here = &C.O;
  unsigned Block = C.F.Block;
  bool Signals = false;
  for (const Frame *A = &C.F; A && A != Beside; A = A->Parent) {
    if (!loopsAround(*A->Graph, Block).empty())
      return false;
    Signals |= signalsAfter(*A->Graph, Block, *Here);
    Here = A->CallSite;
    Block = A->CallBlock;
  }
  return Signals;
}

bool ThreadModel::mayBeOrdered(const Call &C, const State &S) const {
  return Beside && S.OtherThread &&
         ((BeginsLocked && isLocked(C.F, C.O, Beside)) || isAnnounced(C));
}

void ThreadModel::captureBegan(Frame &F, const Op &O, State &S) {
  S.Posted = false;
  if (S.Threads.empty())
    return;
  llvm::SaveAndRestore Above(Beside, static_cast<const Frame *>(&F));
  llvm::SaveAndRestore Locked(BeginsLocked, isLocked(F, O, nullptr));
  // A temporary is moved to an unknown object, and joined there.
  for (const FactMap::Item &I : FactMap(S.Threads))
    if (D[I.Key].Kind != ValueKind::Addr ||
        D.at(D.root(D[I.Key].A)).Kind != LocKind::Temp)
      run(F, O, S, I.Data, {});
}

} // namespace cudagraph
