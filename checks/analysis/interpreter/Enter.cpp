//===- Enter.cpp - One walk of a callee for many calls --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CallKey.h. The more often a callee is walked, the fewer differences
// between calls count, and beyond a bound it is not walked again (Widening.h).
//
//===----------------------------------------------------------------------===//

#include "CallResolver.h"
#include "llvm/Support/xxhash.h"

namespace cudagraph {

/// Handles a walk that is skipped because of a bound (\p Cut) or because it is
/// already active. No claims are made about its effects.
State CallResolver::cut(const Frame &F, const Op &O, State S,
                        const CallKey &Key, FunctionId Callee, bool Cut) {
  ValueId Unknown = D.opaque(Domain::site(Callee, 0, 8));
  if (Cut) {
    passUnparsed(S, Callee);
    // A skipped walk may have ended the capture.
    if (Rel.bits(Callee) & (Relevance::Ends | Relevance::Unknown))
      S.Active.clear();
    // It may have set the streams of handles, and recorded events.
    for (auto [L, V] : Key.visible()) {
      if (D[V].Kind == ValueKind::Handle)
        assign(D, S, D.slotOf(Slot::LibraryStream, D.pointee(V)),
               D.opaque(Domain::site(Callee, 0, 15)));
      S.Events.erase(V);
    }
  }
  setResult(D, F, O, S, Unknown);
  return S;
}

/// Completes the copies in \p R that a callee created with the members that it
/// did not see, from \p S, the state before the call. See
/// CallKey::dropUnread().
void CallResolver::completeCopies(const State &S, const CallKey &Key,
                                  State &R) const {
  llvm::SmallVector<std::pair<LocId, LocId>, 2> Copies;
  for (const Memory::Item &I : R.Mem) {
    const ValueNode V = D[I.Data];
    if ((V.Kind != ValueKind::Init && V.Kind != ValueKind::CopyOf) ||
        V.A == I.Key || S.Mem.lookup(I.Key) == I.Data)
      continue;
    Copies.push_back({static_cast<LocId>(V.A), I.Key});
  }
  // A container may have received a copy of an argument.
  llvm::SmallDenseSet<LocId, 4> Passed;
  for (ValueId Root : Key.roots())
    if (D[Root].Kind == ValueKind::CopyOf || D[Root].Kind == ValueKind::Addr)
      Passed.insert(D[Root].A);
  for (const Memory::Item &I : R.Mem)
    if (D[I.Data].Kind == ValueKind::Phi && D[I.Data].N == SeveralElements)
      for (ValueId Each : D.candidates(I.Data))
        if (D[Each].Kind == ValueKind::CopyOf && Passed.contains(D[Each].A))
          Copies.push_back({static_cast<LocId>(D[Each].A), I.Key});
  for (auto [From, To] : Copies) {
    Memory Unseen;
    for (const Memory::Item &I : S.Mem)
      if (D.root(I.Key) == D.root(From) && !Key.sees(I.Key))
        Unseen.set(I.Key, I.Data);
    copyMembers(D, Unseen, From, R, To);
  }
}

/// The state of the caller after a walk that ended in \p E.
State CallResolver::returnTo(const Frame &F, const Op &O, const State &S,
                             const CallKey &Key, FunctionId Callee,
                             const Exit &E) {
  State R = Key.leave(E.S, E.Returned, F.Function, E.Settled);
  completeCopies(S, Key, R);
  Models.Captures.reroot(F, O, S, R);
  ValueId Value = E.Returned;
  // An object returned by value then belongs to the caller.
  LocId Ret = D.loc(LocKind::Return, 0, Callee);
  if (D[Value].Kind == ValueKind::CopyOf && O.ResultIndex != None) {
    LocId Mine = D.loc(LocKind::Result, O.ResultIndex, F.Function);
    R.Mem.eraseIf([&](const Memory::Item &I) {
      return I.Key != Mine && D.root(I.Key) == Mine;
    });
    copyMembers(D, R, Ret, Mine);
    Value = D.value(ValueKind::CopyOf, 0, Mine);
  }
  R.Mem.eraseIf([&](const Memory::Item &I) { return D.root(I.Key) == Ret; });
  Models.Streams.rename(F, O, S, Key.roots(), R, Value);
  Models.Lifetimes.renameObjects(
      F, O, S, Key.roots(), R, Value,
      [&](LocId Older) { Models.Changes.ended(F, R, Older); });
  Models.Lifetimes.rename(F, O, S, Key.roots(), R, Value);
  Models.Lifetimes.Lent.rename(F, O, S, Key.roots(), R, Value);
  setResult(D, F, O, R, Value);
  if (Rel.bits(Callee) & Relevance::Ends && !S.Failing)
    Models.Graphs.returned(F, R);
  return R;
}

/// Repeats walks whose results are cached: calls with the same key must have
/// equal results.
void CallResolver::recheck(const Frame &Inner, const CallKey &Key,
                           const Exits &Known) {
  Exits Again = Bodies.walk(Inner, Key.entry());
  ++W.Rechecked;
  bool Same = Again.size() == Known.size();
  for (size_t I = 0; Same && I < Known.size(); ++I)
    Same = Again[I].S == Known[I].S && Again[I].Returned == Known[I].Returned;
  W.Differing += !Same;
}

States CallResolver::enter(Frame &F, const Op &O, State S, const Target &To) {
  FunctionId Callee = To.Callee;
  const FlowGraph *G = Table.graph(Callee);
  Result.Visited.insert(Callee);
  Models.Changes.passed(F, O, S, Callee, To.Args, To.This);
  const CallKey Key(W, Callee, S, To.Args, To.This, Wide);
  Frame Inner;
  Inner.Function = Callee;
  Inner.Graph = G;
  Inner.Parent = &F;
  Inner.CallSite = &O;
  Inner.CallBlock = F.Block;
  Inner.This = Key.self();
  Inner.Depth = F.Depth + 1;
  Inner.Uncertain = To.Uncertain;
  Inner.Allowed = F.Allowed || O.Allowed || Table.info(Callee).Allowed;
  Inner.Once = F.Once || O.Once;
  llvm::ArrayRef<ValueId> Args = Key.args();
  Inner.Params.assign(
      Args.begin(), Args.begin() + std::min<size_t>(Args.size(), G->NumParams));
  if (!S.Active.empty() && Rel.bits(Callee) & Relevance::Effects)
    Inner.Passed = W.argumentsOf(O, S, Inner.This, Args);

  // The dependencies of the walk outside the state.
  llvm::SmallVector<unsigned, 4> Context{Callee, Key.self()};
  if (!S.Active.empty()) {
    Context.push_back(!Models.Use.Facts.isFirm(F, S.Active.back(), nullptr) ||
                      To.Uncertain);
    Context.push_back(Inner.Allowed);
    // A condition on a parameter applies to everything that happens there.
    Context.push_back(static_cast<unsigned>(
        llvm::xxh3_64bits(Models.Use.Facts.unless(F, S.Active.back()))));
  }
  CallKey::Digest Digest = Key.digest(Context);
  auto Found = Memo.find(Digest);
  if (Found == Memo.end()) {
    bool Cut = Wide.isTooMuch(Inner);
    Result.BudgetExceeded |= Cut;
    if (Cut || Wide.isDeepRecursion(Inner) || !InProgress.insert(Digest).second)
      return cut(F, O, std::move(S), Key, Callee, Cut);
    Wide.note(Callee);
    Exits Out = Bodies.walk(Inner, Key.entry());
    InProgress.erase(Digest);
    for (Exit &E : Out)
      for (const FactMap::Item &I : S.Changes)
        if (!E.S.Changes.contains(I.Key))
          E.Settled.push_back(I.Key);
    Found = Memo.emplace(Digest, std::move(Out)).first;
  } else if (W.Limits.Recheck) {
    recheck(Inner, Key, Found->second);
  }
  States After;
  for (const Exit &E : Found->second)
    After.push_back(returnTo(F, O, S, Key, Callee, E));
  return After;
}

} // namespace cudagraph
