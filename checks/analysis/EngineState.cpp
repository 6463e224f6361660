//===- EngineState.cpp - Joining and changing states ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How two states become one where paths join, and what an assignment does to
// memory.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// Joins \p New into \p Into; true if \p Into now allows more.
bool Engine::mergeInto(State &Into, const State &New, int64_t JoinSite,
                       bool Widen) {
  // What a failure path leaves behind does not blur the others.
  if (New.Failing && !Into.Failing)
    return false;
  if (Into.Failing && !New.Failing) {
    Into = New;
    return true;
  }
  bool Changed = New.Unparsed > Into.Unparsed;
  Into.Unparsed = std::max(Into.Unparsed, New.Unparsed);
  // What is set on both paths, to whatever, is set after them.
  llvm::SmallVector<std::pair<ValueId, bool>, 4> Agreed;
  if (!(Into.Mem == New.Mem)) {
    Steps += Into.Mem.size() / 32; // joins are work, too
    auto Join = [&](LocId L, std::optional<ValueId> Old,
                    std::optional<ValueId> Other) {
      LocKind Root = D.at(D.root(L)).Kind;
      bool Local = Root == LocKind::Var || Root == LocKind::Temp ||
                   Root == LocKind::Result || Root == LocKind::Return;
      if (!Old || !Other) {
        // A local is not initialised on the other path; anything else still
        // has the contents it had at entry.
        if (Local) {
          if (!Old) {
            Into.Mem.set(L, *Other);
            Changed = true;
          }
          return;
        }
      }
      ValueId A = Old ? *Old : defaultContents(L);
      ValueId B = Other ? *Other : defaultContents(L);
      if (A == B)
        return;
      const ValueNode Mine = D[A];
      ValueId Phi =
          Mine.Kind == ValueKind::Phi && Mine.N == JoinSite && Mine.A == L
              ? A
              : D.value(ValueKind::Phi, JoinSite, L);
      if (std::optional<bool> T = truth(Into, A); T && T == truth(New, B))
        Agreed.push_back({Phi, *T});
      if (A != Phi) {
        D.addCandidate(Phi, A, Widen);
        D.addCandidate(Phi, B, Widen);
        Into.Mem.set(L, Phi);
        Changed = true;
      } else if (D.addCandidate(Phi, B, Widen)) {
        Changed = true;
      }
    };
    Memory Old = Into.Mem;
    auto Mine = Old.begin(), Theirs = New.Mem.begin();
    while (Mine != Old.end() || Theirs != New.Mem.end()) {
      if (Theirs == New.Mem.end() ||
          (Mine != Old.end() && Mine->Key < Theirs->Key)) {
        Join(Mine->Key, Mine->Data, std::nullopt);
        ++Mine;
      } else if (Mine == Old.end() || Theirs->Key < Mine->Key) {
        Join(Theirs->Key, std::nullopt, Theirs->Data);
        ++Theirs;
      } else {
        if (Mine->Data != Theirs->Data)
          Join(Mine->Key, Mine->Data, Theirs->Data);
        ++Mine;
        ++Theirs;
      }
    }
  }
  for (auto [Mine, Theirs] :
       {std::pair(&Into.Facts, &New.Facts), std::pair(&Into.Equal, &New.Equal)})
    if (!(*Mine == *Theirs))
      Mine->eraseIf([&, Theirs = Theirs](const FactMap::Item &I) {
        std::optional<unsigned> Other = Theirs->lookup(I.Key);
        bool Gone = !Other || *Other != I.Data;
        Changed |= Gone;
        return Gone;
      });
  for (auto [Phi, Truth] : Agreed)
    Into.Facts.set(Phi, Truth);
  auto Join = [&](FactMap &Mine, const FactMap &Theirs, auto Both, auto One) {
    if (Mine == Theirs)
      return;
    for (const FactMap::Item &I : FactMap(Mine)) {
      std::optional<unsigned> Other = Theirs.lookup(I.Key);
      std::optional<unsigned> Now = Other ? Both(I.Data, *Other) : One(I.Data);
      if (!Now)
        Mine.erase(I.Key);
      else if (*Now != I.Data)
        Mine.set(I.Key, *Now);
      Changed |= !Now || *Now != I.Data;
    }
    for (const FactMap::Item &I : Theirs)
      if (!Mine.contains(I.Key))
        if (std::optional<unsigned> Now = One(I.Data)) {
          Mine.set(I.Key, *Now);
          Changed = true;
        }
  };
  using Data = std::optional<unsigned>;
  Join(
      Into.Streams, New.Streams,
      [](unsigned A, unsigned B) -> Data {
        Member X = Member::decode(A), Y = Member::decode(B);
        X.Maybe |= Y.Maybe || X.Capture != Y.Capture;
        X.Guess |= Y.Guess;
        return X.encode();
      },
      [](unsigned A) -> Data { return A | 1; });
  Join(
      Into.Events, New.Events,
      [](unsigned A, unsigned B) -> Data {
        Recorded X = Recorded::decode(A), Y = Recorded::decode(B);
        if (X.Where == Y.Where && X.Capture == Y.Capture)
          return A | B;
        // What may be in the capture may also be elsewhere.
        Recorded &In = X.Where == Recorded::Inside ? X : Y;
        if (In.Where != Recorded::Inside)
          return std::nullopt;
        In.Maybe = true;
        return In.encode();
      },
      [](unsigned A) -> Data {
        if (Recorded::decode(A).Where != Recorded::Inside)
          return std::nullopt;
        return A | 1;
      });
  Join(
      Into.Lags, New.Lags,
      [](unsigned A, unsigned B) -> Data {
        Lag X = Lag::decode(A), Y = Lag::decode(B);
        if (X.How == Y.How)
          return std::min(A, B);
        bool Partly = X.How != Lag::None && Y.How != Lag::None &&
                      X.How != Lag::Maybe && Y.How != Lag::Maybe;
        Lag &Behind = X.How == Lag::None ? Y : X;
        Behind.How = Partly ? Lag::Partly : Lag::Maybe;
        return Behind.encode();
      },
      [](unsigned A) -> Data {
        Lag X = Lag::decode(A);
        if (X.How == Lag::Surely)
          X.How = Lag::Partly;
        return X.encode();
      });
  if (New.ForeignCaptures && !Into.ForeignCaptures)
    Into.ForeignCaptures = Changed = true;
  Join(
      Into.Broken, New.Broken,
      [](unsigned A, unsigned B) -> Data { return A | B; },
      [](unsigned) -> Data { return 1; });
  Join(
      Into.Threads, New.Threads, [](unsigned A, unsigned) -> Data { return A; },
      [](unsigned) -> Data { return std::nullopt; });
  // What ended on one path only may have ended.
  Join(
      Into.Gone, New.Gone,
      [](unsigned A, unsigned B) -> Data { return A | (B & 1); },
      [](unsigned A) -> Data { return A | 1; });
  return Changed;
}

void Engine::assign(State &S, LocId L, ValueId V) {
  const LocNode N = D.at(L);
  if (N.Kind == LocKind::Elem && N.B == None) {
    // Some element: what was there may remain.
    std::optional<unsigned> Old = S.Mem.lookup(L);
    if (Old && *Old != V) {
      ValueId Phi = D.value(ValueKind::Phi, -1, L);
      D.addCandidate(Phi, *Old);
      D.addCandidate(Phi, V);
      V = Phi;
    }
  } else {
    // A whole object: its members are what the new value says.
    ValueKind K = D[V].Kind;
    if (K == ValueKind::CopyOf || K == ValueKind::Init ||
        (K == ValueKind::Op && D.text(D[V].S) == "aggregate"))
      S.Mem.eraseIf([&](const Memory::Item &I) {
        LocId P = I.Key;
        while (P != L && (D.at(P).Kind == LocKind::Field ||
                          D.at(P).Kind == LocKind::Elem))
          P = D.at(P).A;
        return P == L && I.Key != L;
      });
  }
  if (D[V].Kind == ValueKind::CopyOf) {
    if (D[V].A == L)
      return;
    copyMembers(S, D[V].A, L);
  }
  S.Mem.set(L, V);
}

/// Copies what is known of the parts of \p From to the parts of \p To.
void Engine::copyMembers(State &S, LocId From, LocId To) {
  std::vector<std::pair<LocId, ValueId>> Copies;
  for (const Memory::Item &I : S.Mem) {
    llvm::SmallVector<LocId, 4> Path;
    LocId P = I.Key;
    while (P != From &&
           (D.at(P).Kind == LocKind::Field || D.at(P).Kind == LocKind::Elem)) {
      Path.push_back(P);
      P = D.at(P).A;
    }
    if (P != From || Path.empty())
      continue;
    LocId At = To;
    for (LocId Part : llvm::reverse(Path)) {
      LocNode N = D.at(Part);
      At = D.loc(N.Kind, N.N, At, N.B, D.text(N.S));
    }
    Copies.push_back({At, I.Data});
  }
  for (auto [L, V] : Copies)
    S.Mem.set(L, V);
}

} // namespace cudagraph
