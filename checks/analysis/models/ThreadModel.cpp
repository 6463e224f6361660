//===- ThreadModel.cpp - Threads concurrent with a capture ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ThreadModel.h.
//
//===----------------------------------------------------------------------===//

#include "ThreadModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// The maximum number of functions that are examined for the effects of a
/// thread.
static constexpr unsigned MaxThreadFunctions = 256;

/// The object or handle of the thread that \p C starts, joins, or detaches;
/// None if there is none.
ValueId ThreadModel::handleOf(const Call &C) const {
  // A function whose first argument is the callable returns the thread.
  if (C.This == None && C.Api.arg("callable", C.Args.size()) == 0)
    return C.Returned;
  ValueId Object = C.This != None ? C.This : C.Args.empty() ? None : C.Args[0];
  return Object == None || D.asInt(Object) ? None : Object;
}

Model::Then ThreadModel::apply(Call &C, State &S) {
  ValueId Object = handleOf(C);
  if (C.Api.has(catalogue::Trait::Detaches)) { // it continues to run
    if (Object != None)
      move(S, Object,
           D.opaque(Domain::site(C.F.Function, C.O.ResultIndex, 13)));
    return Then::Follow;
  }
  if (C.Api.has(catalogue::Trait::Joins)) {
    if (isEnding(C, S))
      awaited(C, S);
    if (Object != None)
      if (ValueId Key = threadAt(S, Object, /*IsThread=*/true); Key != None)
        S.Threads.erase(Key);
    // pthread_join takes the handle itself.
    for (const FactMap::Item &I : FactMap(S.Threads))
      if (Object != None && D[I.Key].Kind == ValueKind::Addr &&
          read(D, S, D[I.Key].A) == Object)
        S.Threads.erase(I.Key);
    return Then::Follow;
  }
  start(C, S, Object);
  return Then::Follow;
}

/// Returns whether \p Body, a function or a closure, begins or ends captures:
/// Relevance::Begins and Relevance::Ends.
uint16_t ThreadModel::boundsIn(ValueId Body) const {
  if (D[Body].Kind != ValueKind::Closure && D[Body].Kind != ValueKind::Function)
    return 0;
  // Mentioned functions also count: std::visit calls them.
  llvm::SmallVector<FunctionId, 16> Work{static_cast<FunctionId>(D[Body].N)};
  llvm::SmallDenseSet<FunctionId, 16> Seen;
  uint16_t Bits = 0;
  while (!Work.empty() && Seen.size() < MaxThreadFunctions) {
    FunctionId F = Work.pop_back_val();
    if (!(Rel.bits(F) & Relevance::Opens) || !Seen.insert(F).second)
      continue;
    Bits |= Rel.bits(F) & (Relevance::Begins | Relevance::Ends);
    llvm::append_range(Work, Rel.calleesOf(F));
  }
  return Bits;
}

/// The callable that the thread of \p C runs, by its number; nothing if it has
/// none.
std::optional<size_t> ThreadModel::callableOf(const Call &C, const State &S) {
  std::optional<int> I = C.Api.arg("callable", C.Args.size());
  if (!I || *I < 0)
    return std::nullopt;
  auto IsCallable = [&](ValueId V) {
    ValueKind K = D[held(S, V)].Kind;
    return K == ValueKind::Closure || K == ValueKind::Function;
  };
  size_t First = *I;
  // A policy may come first.
  bool Second = First + 1 < C.Args.size() && !IsCallable(C.Args[First]) &&
                IsCallable(C.Args[First + 1]);
  return Second ? First + 1 : First;
}

bool ThreadModel::isLoading(const Call &C, const State &S) {
  ValueId Body = None;
  if (C.Api.has(catalogue::Trait::Joins))
    Body = awaitedBody(C, S);
  else if (std::optional<size_t> I = callableOf(C, S))
    Body = held(S, C.Args[*I]);
  if (Body == None || (D[Body].Kind != ValueKind::Closure &&
                       D[Body].Kind != ValueKind::Function))
    return false;
  llvm::SmallVector<FunctionId, 16> Work{static_cast<FunctionId>(D[Body].N)};
  if (!(Rel.bits(Work.front()) & Relevance::Works))
    return false;
  llvm::SmallDenseSet<FunctionId, 16> Seen;
  while (!Work.empty() && Seen.size() < MaxThreadFunctions) {
    FunctionId F = Work.pop_back_val();
    if (!Seen.insert(F).second)
      continue;
    if (const catalogue::Entry *E = Rel.entryFor(F))
      if (E->Does == catalogue::Effect::SyncStream ||
          E->Does == catalogue::Effect::SyncDevice ||
          E->Does == catalogue::Effect::SyncEvent ||
          E->Does == catalogue::Effect::CopySync)
        return true;
    llvm::append_range(Work, Rel.calleesOf(F));
  }
  return false;
}

/// True if \p Body, a function or a closure, ends captures and begins none.
bool ThreadModel::endsCaptures(ValueId Body) const {
  return boundsIn(Body) == Relevance::Ends;
}

/// Leaves the captures in \p Ended, which another thread has ended.
void ThreadModel::leave(State &S, const Captures &Ended) {
  for (CaptureId Each : Captures(Ended)) {
    llvm::erase(S.Active, Each);
    Use.Others.captureLeft(S, Each);
  }
}

void ThreadModel::awaited(const Call &C, State &S) {
  // The next action of the thread depends on the awaited event.
  if (S.OtherThread && Beside)
    S.PerhapsLater = !isWoken(C);
  if (EndsOfOthers && !S.OtherThread && !S.InCallback)
    leave(S, S.Active);
}

/// The callable of the thread that \p C joins; None if it is unknown.
ValueId ThreadModel::awaitedBody(const Call &C, const State &S) {
  ValueId Object = C.This != None ? C.This : C.Args.empty() ? None : C.Args[0];
  if (Object == None)
    return None;
  if (ValueId Key = threadAt(S, Object, /*IsThread=*/true); Key != None)
    return *S.Threads.lookup(Key);
  // pthread_join takes the handle itself.
  for (const FactMap::Item &I : FactMap(S.Threads))
    if (D[I.Key].Kind == ValueKind::Addr && read(D, S, D[I.Key].A) == Object)
      return I.Data;
  return None;
}

bool ThreadModel::isEnding(const Call &C, const State &S) {
  if (!C.Api.has(catalogue::Trait::Joins))
    return llvm::any_of(C.Args, [&](ValueId V) {
      return V != None && endsCaptures(held(S, V));
    });
  ValueId Body = awaitedBody(C, S);
  return Body == None ? EndsOfOthers : endsCaptures(Body);
}

bool ThreadModel::awaitsBegin(const Call &C, const State &S) {
  ValueId Body = C.Api.has(catalogue::Trait::Joins) ? awaitedBody(C, S) : None;
  return Body != None && boundsIn(Body) == Relevance::Begins;
}

/// True if \p Body, which does not capture itself, may use an event that is
/// only in a graph.
bool ThreadModel::usesWhatEnded(const State &S, ValueId Body) const {
  ValueKind K = D[Body].Kind;
  return (K == ValueKind::Closure || K == ValueKind::Function) &&
         !(Rel.bits(D[Body].N) & Relevance::Opens) &&
         llvm::any_of(S.Events, [](const FactMap::Item &I) {
           return Recorded::decode(I.Data).Where == Recorded::Ended;
         });
}

/// Handles the start of a thread; \p Object stands for it, or is None.
void ThreadModel::start(Call &C, State &S, ValueId Object) {
  std::optional<size_t> I = callableOf(C, S);
  if (!I)
    return;
  ValueId Callable = C.Args[*I];
  // Arguments after the callable are passed to it.
  llvm::ArrayRef<ValueId> Passed = C.Args.drop_front(*I + 1);
  ValueId Body = held(S, Callable);
  if (D[Body].Kind == ValueKind::Closure || D[Body].Kind == ValueKind::Function)
    S.ForeignCaptures |= (Rel.bits(D[Body].N) & Relevance::Opens) &&
                         !(Rel.bits(D[Body].N) & Relevance::Ends);
  EndsOfOthers |= endsCaptures(Body);
  if (!S.Active.empty() || usesWhatEnded(S, Body))
    runInCapture(C.F, C.O, S, Callable, Passed);
  else if (boundsIn(Body) == Relevance::Begins)
    takeOver(C.F, C.O, S, Callable, Passed);
  if (Object != None && threadAt(S, Callable) != None) {
    move(S, Callable, Object); // the move constructor
    return;
  }
  // It is unknown which element of a container is joined.
  if (Object != None &&
      !(D[Object].Kind == ValueKind::Addr && isOfSomeElement(D, D[Object].A)))
    S.Threads.set(Object, held(S, Callable));
}

/// Walks a thread that begins captures and leaves them open: later code is
/// treated like a thread that did not begin them.
void ThreadModel::takeOver(Frame &F, const Op &O, State &S, ValueId Callable,
                           llvm::ArrayRef<ValueId> Args) {
  States After = run(F, O, S, Callable, Args);
  auto Open = llvm::find_if(After, [](const State &Each) {
    return !Each.Active.empty() && !Each.Failing;
  });
  if (Open == After.end())
    return;
  FactMap Running = S.Threads;
  int Mode = S.ThreadMode;
  S = std::move(*Open);
  S.Threads = std::move(Running);
  S.ThreadMode = Mode;
  // Any thread may end a capture in relaxed mode.
  S.OtherThread = llvm::any_of(S.Active, [&](CaptureId Each) {
    return Result.Captures[Each].Mode != catalogue::Mode::Relaxed;
  });
}

/// Walks the code of another thread and removes the captures that it ends from
/// \p S. \returns the state at its end.
States ThreadModel::runInCapture(Frame &F, const Op &O, State &S,
                                 ValueId Callable,
                                 llvm::ArrayRef<ValueId> Args) {
  States After = run(F, O, S, Callable, Args);
  for (CaptureId Each : Captures(S.Active))
    if (!After.empty() && llvm::none_of(After, [&](const State &X) {
          return !X.OtherThread || llvm::is_contained(X.Active, Each);
        })) {
      llvm::erase(S.Active, Each);
      Use.Others.captureLeft(S, Each);
    }
  if (endsCaptures(held(S, Callable)))
    leave(S, S.Active);
  return After;
}

/// The callable \p V, or the callables to which it points or that are its
/// members.
static llvm::SmallVector<ValueId, 4> callablesIn(Domain &D, const State &S,
                                                 ValueId V) {
  llvm::SmallVector<ValueId, 4> Result;
  auto Add = [&](ValueId Each) {
    ValueKind K = D[Each].Kind;
    if ((K == ValueKind::Closure || K == ValueKind::Function) &&
        !llvm::is_contained(Result, Each))
      Result.push_back(Each);
  };
  V = heldBy(D, S, V);
  Add(V);
  for (ValueId Each : D.candidates(V))
    Add(heldBy(D, S, Each));
  if (D[V].Kind == ValueKind::CopyOf)
    for (const Memory::Item &I : S.Mem)
      if (D.root(I.Key) == D[V].A)
        Add(I.Data);
  return Result;
}

void ThreadModel::stored(Frame &F, const Op &O, State &S, LocId L, ValueId V) {
  if (S.Active.empty() || S.OtherThread || S.InCallback)
    return;
  const JobQueue *Queue = jobQueueAt(D, Rel, L);
  if (!Queue)
    return;
  for (ValueId Job : callablesIn(D, S, V)) {
    if (S.Active.empty())
      return;
    // A capturing job posts to its own thread.
    S.PerhapsLater =
        Queue->Shared || llvm::any_of(S.Active, [&](CaptureId Each) {
          const CaptureRecord &R = Result.Captures[Each];
          return Rel.Jobs->mayHold(*Queue, R.Home) ||
                 Rel.Jobs->mayHold(*Queue, R.BeginIn);
        });
    States After = runInCapture(F, O, S, Job, {});
    S.PerhapsLater = false;
    S.Posted = true;
    // Its writes become visible at an unknown time.
    int64_t Site = Domain::site(F.Function, O.Range.Begin, 4);
    for (const State &Each : After) {
      State Done = S;
      Done.Mem = Each.Mem;
      join(D, S, Done, Site, Widen::Nothing, W.Steps);
    }
  }
}

/// Walks the code of a thread; only facts and the captures that it ended
/// remain.
States ThreadModel::run(Frame &F, const Op &O, const State &S, ValueId Callable,
                        llvm::ArrayRef<ValueId> Args, bool Other) {
  ValueId V = D[Callable].Kind == ValueKind::Addr ? read(D, S, D[Callable].A)
                                                  : Callable;
  ValueKind K = D[V].Kind;
  if (K != ValueKind::Closure && K != ValueKind::Function)
    return {};
  State Beside = S;
  Beside.OtherThread = Other;
  Beside.ThreadMode = -1;
  Beside.Threads.clear();
  llvm::SmallVector<ValueId, 4> Passed(Args.begin(), Args.end());
  ValueId This = None;
  if (K == ValueKind::Function && !Passed.empty() &&
      !Table.info(D[V].N).Class.empty()) {
    This = Passed.front(); // a member function and its object
    Passed.erase(Passed.begin());
  }
  return Use.Calls.callValue(F, O, std::move(Beside), V, Passed, None, This);
}

ValueId ThreadModel::threadAt(const State &S, ValueId From, bool IsThread) {
  std::optional<unsigned> Body = S.Threads.lookup(From);
  if (!Body && D[From].Kind == ValueKind::Addr) {
    ValueId Held = read(D, S, D[From].A);
    if (S.Threads.contains(Held)) // as a function returned it
      return Held;
    if (D[Held].Kind == ValueKind::CopyOf || D[Held].Kind == ValueKind::Init) {
      From = D.value(ValueKind::Addr, 0, D[Held].A);
      Body = S.Threads.lookup(From);
    }
    // An object that is constructed from one callable counts as that callable.
    // Unless the object is known to be a thread, it may be a copy of the
    // callable.
    for (const FactMap::Item &I : FactMap(S.Threads))
      if (!Body && I.Data == held(S, Held) &&
          D[I.Key].Kind == ValueKind::Addr &&
          (IsThread || D.at(D.root(D[I.Key].A)).Kind == LocKind::Temp)) {
        From = I.Key;
        Body = I.Data;
      }
  }
  return Body ? From : None;
}

void ThreadModel::moveOne(State &S, ValueId From, ValueId To) {
  From = threadAt(S, From);
  if (From == None)
    return;
  ValueId Callable = *S.Threads.lookup(From);
  S.Threads.erase(From);
  if (To != None)
    S.Threads.set(To, Callable);
}

} // namespace cudagraph
