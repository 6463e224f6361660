//===- ThreadOrder.cpp - Threads before and after a capture ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that is alive when a capture begins may be anywhere in its body.
// Three patterns show that the program may separate a call made by that thread
// from the capture: both hold a lock, the thread waits before the call, or the
// thread signals after the call and does not repeat it. In these cases, it is
// only possible that the call is made during the capture.
//
// A thread that its creator joins immediately runs in order with it: its
// writes, and the captures that it begins and ends, are known afterwards.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
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
         ((BeginsLocked && isLocked(C.F, C.O, Beside)) ||
          (Woken == None && isAnnounced(C)));
}

/// The address of the object for which \p C waits, or that it signals; None if
/// there is none.
ValueId ThreadModel::signalOf(const Call &C) const {
  return C.This != None || C.Args.empty() ? C.This : C.Args[0];
}

/// True if the signal that wakes the walked threads may be the one for which
/// \p C waits.
bool ThreadModel::isWoken(const Call &C) const {
  ValueId On = signalOf(C);
  return Woken != None && On != None &&
         (On == Woken ||
          (D[On].Kind == ValueKind::Addr && D[Woken].Kind == ValueKind::Addr &&
           overlap(D, D[On].A, D[Woken].A)));
}

/// True if the code from the beginning of a capture of \p S to \p O may hold a
/// lock throughout.
bool ThreadModel::beginsLocked(const Frame &F, const Op &O,
                               const State &S) const {
  const Op *Here = &O;
  bool Within = false; // the frame that began the capture, or one above it
  for (const Frame *A = &F; A; Here = A->CallSite, A = A->Parent) {
    Within |= llvm::any_of(S.Active, [&](CaptureId C) {
      return Result.Captures[C].Home == A->Function;
    });
    if (Within && holdsLock(Table, Rel, *A->Graph, Here->Range))
      return true;
  }
  return false;
}

void ThreadModel::signaled(const Call &C, State &S) {
  if (S.Active.empty() || S.OtherThread || S.InCallback || S.Threads.empty() ||
      signalOf(C) == None)
    return;
  llvm::SaveAndRestore Above(Beside, static_cast<const Frame *>(&C.F));
  llvm::SaveAndRestore Locked(BeginsLocked, beginsLocked(C.F, C.O, S));
  llvm::SaveAndRestore By(Woken, signalOf(C));
  State Waiting = S;
  Waiting.PerhapsLater = true; // until the thread has waited for the signal
  for (const FactMap::Item &I : FactMap(S.Threads))
    run(C.F, C.O, Waiting, I.Data, {});
}

bool ThreadModel::isJoinedNext(const Call &C) const {
  const FlowGraph &G = *C.F.Graph;
  if (C.Api.has(catalogue::Trait::Joins) ||
      C.Api.has(catalogue::Trait::Detaches) || C.F.Block >= G.Blocks.size())
    return false;
  // The places and values that stand for the thread.
  llvm::SmallDenseSet<ExprId, 4> Thread;
  auto Stands = [&](ExprId Id) {
    if (Id == None)
      return false;
    const Expr &E = G.Exprs[Id];
    return Thread.contains(Id) ||
           ((E.Kind == ExprKind::Deref || E.Kind == ExprKind::Load ||
             E.Kind == ExprKind::AddrOf) &&
            Thread.contains(E.A)) ||
           (E.Kind == ExprKind::Result && C.O.ResultIndex != None &&
            E.N == static_cast<int64_t>(C.O.ResultIndex));
  };
  bool Started = false;
  for (const Op &Each : G.Blocks[C.F.Block].Ops) {
    if (!Started) {
      Started = Each.Kind == OpKind::Call && Each.Callee == C.O.Callee &&
                Each.ResultIndex == C.O.ResultIndex &&
                Each.Range.Begin == C.O.Range.Begin;
      if (!Started)
        continue;
      ExprId Handle = Each.Object; // or its address is the first argument
      if (Handle == None && !Each.Args.empty() &&
          G.Exprs[Each.Args.front().Value].Kind == ExprKind::AddrOf)
        Handle = G.Exprs[Each.Args.front().Value].A;
      if (Handle != None)
        Thread.insert(Handle);
      continue;
    }
    if (Each.Kind == OpKind::Return && Stands(Each.Value))
      return false;
    if (Each.Kind == OpKind::Assign && Stands(Each.Value)) {
      ExprKind To = G.Exprs[Each.Place].Kind;
      if (To != ExprKind::Var && To != ExprKind::Temp)
        return false; // it may be joined elsewhere
      Thread.insert(Each.Place);
    }
    // The destructor of a std::jthread, or of the future of std::async, waits.
    if (Each.Kind == OpKind::EndLife && Thread.contains(Each.Place))
      return true;
    if (Each.Kind != OpKind::Call)
      continue;
    const catalogue::Entry *E =
        Each.Callee == None ? nullptr : Rel.entryFor(Each.Callee);
    if (E &&
        (E->has(catalogue::Trait::Joins) || E->has(catalogue::Trait::Awaits)) &&
        (Stands(Each.Object) ||
         (!Each.Args.empty() && Stands(Each.Args.front().Value))))
      return true;
    // Destructors of temporaries that have no effect.
    if (!Each.Implicit || (Each.Callee != None && Rel.bits(Each.Callee)))
      return false;
  }
  return false;
}

States ThreadModel::runToEnd(Call &C, State S) {
  ValueId Object = handleOf(C);
  std::optional<size_t> I = callableOf(C, S);
  States After;
  if (I)
    After = run(C.F, C.O, S, C.Args[*I],
                llvm::ArrayRef<ValueId>(C.Args).drop_front(*I + 1),
                S.OtherThread || !S.Active.empty());
  if (After.empty()) {
    start(C, S, Object);
    return {std::move(S)};
  }
  ValueId Body = held(S, C.Args[*I]);
  for (State &Each : After) {
    // The call returns the thread, not the result of the thread.
    setResult(D, C.F, C.O, Each, C.Returned);
    Each.Threads = S.Threads;
    Each.ThreadMode = S.ThreadMode;
    // Any thread may end a capture in relaxed mode.
    Each.OtherThread =
        S.OtherThread || llvm::any_of(Each.Active, [&](CaptureId Open) {
          return !llvm::is_contained(S.Active, Open) &&
                 Result.Captures[Open].Mode != catalogue::Mode::Relaxed;
        });
    if (endsCaptures(Body))
      leave(Each, S.Active);
    if (Object != None)
      Each.Threads.set(Object, Body); // until the thread is joined
  }
  return After;
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
