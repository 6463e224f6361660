//===- LoopJoins.cpp - Loops that fork and join streams -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The streams that the iterations of a loop fork and join.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// Adds to \p Skipped the work that an iteration joins only if an input selects
/// it. The next iteration starts with that work unjoined in \p S, as the loop
/// did in \p Before.
static void keepSkipped(const State &Before, State &S,
                        std::set<ValueId> &Skipped) {
  for (const FactMap::Item &I : FactMap(S.Unjoined)) {
    std::optional<unsigned> First = Before.Unjoined.lookup(I.Key);
    UnjoinedWork L = UnjoinedWork::decode(I.Data);
    if (!First || L.How != UnjoinedWork::Partly ||
        UnjoinedWork::decode(*First).How != UnjoinedWork::Surely)
      continue;
    Skipped.insert(I.Key);
    L.How = UnjoinedWork::Surely;
    S.Unjoined.set(I.Key, L.encode());
  }
}

/// Marks the work that only some iterations join in \p S, which leaves the
/// loop.
static void leaveSkipped(State &S, const std::set<ValueId> &Skipped) {
  for (ValueId Key : Skipped)
    if (std::optional<unsigned> Data = S.Unjoined.lookup(Key)) {
      UnjoinedWork L = UnjoinedWork::decode(*Data);
      if (L.How == UnjoinedWork::Surely)
        L.How = UnjoinedWork::Partly;
      S.Unjoined.set(Key, L.encode());
    }
}

/// Handles the edge \p E, in \p From, of a loop that joins streams in some
/// iterations. Sets \p Changed if the state is different behind it.
void Interpreter::keepJoins(Activation &A, const Edge &E, const State &From,
                            std::optional<State> &Changed) {
  auto Loop = A.Rounds.find(A.F.Block);
  bool Leaves =
      Loop != A.Rounds.end() && !Loop->second.Skipped.empty() &&
      llvm::none_of(loopsAround(*A.F.Graph, E.To),
                    [&](const LoopRange &L) { return L.Head == A.F.Block; });
  if (Leaves) {
    if (!Changed)
      Changed = From;
    leaveSkipped(*Changed, Loop->second.Skipped);
  }
  if (E.To > A.F.Block || !A.Forks->count(E.To))
    return;
  for (const State &Old : A.In[E.To]) {
    const State &Now = Changed ? *Changed : From;
    if (!Old.sameKey(Now) || Old.Unjoined == Now.Unjoined)
      continue;
    State Next = Now;
    keepSkipped(Old, Next, A.Rounds[E.To].Skipped);
    Changed = std::move(Next);
    return;
  }
}

/// Handles the return of \p S to the header of a loop that forks or joins
/// streams. The effects of the first iterations count, not the state before
/// them: streams that are forked one at a time are joined one at a time, and as
/// many are joined as were forked.
void Interpreter::noteRound(Activation &A, unsigned Header, const State &S) {
  if (S.Active.empty() || S.Failing)
    return;
  Activation::Round &R = A.Rounds[Header];
  if (R.Visit == A.Visits[Header]) // another path back
    return;
  R.Visit = A.Visits[Header];
  if (++R.Count > FullRounds)
    return;
  for (unsigned B = Header + 1; B <= A.F.Block; ++B)
    A.In[B].clear();
  for (State &Old : A.In[Header]) {
    if (!Old.sameKey(S))
      continue;
    Old.Streams = S.Streams;
    Old.Events = S.Events;
    Old.Unjoined = S.Unjoined;
    A.Work.insert(Header);
  }
}

} // namespace cudagraph
