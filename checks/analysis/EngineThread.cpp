//===- EngineThread.cpp - Threads that run beside a capture ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that is started in a capture, or is alive when one begins, may call
// CUDA while it lasts. Its body is walked as another thread would see the
// capture; all that it changes here is which captures are still active.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// Walks what a thread executes; besides facts, all that remains of it is
/// which captures it ended.
Engine::States Engine::runThread(Frame &F, const Op &O, const State &S,
                                 ValueId Callable,
                                 llvm::ArrayRef<ValueId> Args) {
  ValueId V =
      D[Callable].Kind == ValueKind::Addr ? read(S, D[Callable].A) : Callable;
  ValueKind K = D[V].Kind;
  if (K != ValueKind::Closure && K != ValueKind::Function)
    return {};
  State Beside = S;
  Beside.OtherThread = true;
  Beside.ThreadMode = -1;
  Beside.Threads.clear();
  llvm::SmallVector<ValueId, 4> Passed(Args.begin(), Args.end());
  ValueId This = None;
  if (K == ValueKind::Function && !Passed.empty() &&
      !Table.info(D[V].N).Class.empty()) {
    This = Passed.front(); // a member function and its object
    Passed.erase(Passed.begin());
  }
  return callValue(F, O, std::move(Beside), V, Passed, None, This);
}

void Engine::runThreads(Frame &F, const Op &O, const State &S) {
  // A temporary is moved to where nobody can follow it, and joined there.
  for (const FactMap::Item &I : FactMap(S.Threads))
    if (D[I.Key].Kind != ValueKind::Addr ||
        D.at(D.root(D[I.Key].A)).Kind != LocKind::Temp)
      runThread(F, O, S, I.Data, {});
}

/// The thread that \p From stands for is \p To's; None: nobody can tell whose.
void Engine::moveThread(State &S, ValueId From, ValueId To) {
  std::optional<unsigned> Body = S.Threads.lookup(From);
  if (!Body && D[From].Kind == ValueKind::Addr) {
    ValueId Held = read(S, D[From].A);
    if (D[Held].Kind == ValueKind::CopyOf) {
      From = D.value(ValueKind::Addr, 0, D[Held].A);
      Body = S.Threads.lookup(From);
    }
  }
  if (!Body)
    return;
  ValueId Callable = *Body;
  S.Threads.erase(From);
  if (To != None)
    S.Threads.set(To, Callable);
}

void Engine::startThread(Frame &F, const Op &O, State &S,
                         const catalogue::Entry &E, ValueId This,
                         llvm::ArrayRef<ValueId> Args) {
  ValueId Object = This != None ? This : Args.empty() ? None : Args[0];
  if (D.asInt(Object == None ? D.integer(0) : Object))
    Object = None;
  if (E.has(catalogue::Trait::Detaches)) { // it runs on
    if (Object != None)
      moveThread(S, Object,
                 D.opaque(Domain::site(F.Function, O.ResultIndex, 13)));
    return;
  }
  if (E.has(catalogue::Trait::Joins)) {
    if (Object != None)
      S.Threads.erase(Object);
    // pthread_join takes the handle itself.
    for (const FactMap::Item &I : FactMap(S.Threads))
      if (Object != None && D[I.Key].Kind == ValueKind::Addr &&
          read(S, D[I.Key].A) == Object)
        S.Threads.erase(I.Key);
    return;
  }
  std::optional<int> I = E.arg("callable", Args.size());
  if (!I || *I < 0)
    return;
  ValueId Callable = Args[*I];
  // What follows the callable is handed to it.
  llvm::ArrayRef<ValueId> Passed = Args.drop_front(*I + 1);
  ValueId Body =
      D[Callable].Kind == ValueKind::Addr ? read(S, D[Callable].A) : Callable;
  if (D[Body].Kind == ValueKind::Closure || D[Body].Kind == ValueKind::Function)
    S.ForeignCaptures |= (Rel.bits(D[Body].N) & Relevance::Opens) &&
                         !(Rel.bits(D[Body].N) & Relevance::Ends);
  if (!S.Active.empty()) {
    States After = runThread(F, O, S, Callable, Passed);
    for (CaptureId C : llvm::SmallVector<CaptureId, 2>(S.Active))
      if (!After.empty() && llvm::none_of(After, [&](const State &X) {
            return !X.OtherThread || llvm::is_contained(X.Active, C);
          })) {
        llvm::erase(S.Active, C);
        leaveCapture(S, C);
      }
  }
  if (Object != None && S.Threads.contains(Callable)) {
    moveThread(S, Callable, Object); // the move constructor
    return;
  }
  if (Object != None)
    S.Threads.set(Object, D[Callable].Kind == ValueKind::Addr
                              ? read(S, D[Callable].A)
                              : Callable);
}

} // namespace cudagraph
