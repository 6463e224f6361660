//===- Turns.cpp - Objects that one line creates repeatedly ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line that allocates or captures runs for each call, each object, and each
// iteration of a loop. Memory that one of them frees is not used by the others.
//
//===----------------------------------------------------------------------===//

#include "LifetimeModel.h"
#include "analysis/ir/StoredDeleter.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

void NodeTable::make(const Frame &F, ValueId V) {
  if (!loopsAround(*F.Graph, F.Block).empty() && ++Made[V] > 1)
    Repeated.insert(V);
}

/// The name of \p Memory, which \p F allocates: the initializer of a static
/// variable runs once, so that memory keeps its name.
ValueId LifetimeModel::nameMade(const Frame &F, ValueId Memory) {
  for (const Frame *A = &F; A->Once && A->CallSite; A = A->Parent)
    if (A->CallSite->Once) {
      const ValueNode N = D[Memory];
      ValueId Own =
          D.value(N.Kind,
                  static_cast<int64_t>(static_cast<uint64_t>(N.N) * 31 +
                                       A->CallSite->Range.Begin),
                  N.A, N.B);
      OfStatics.insert(Own);
      return Own;
    }
  return Memory;
}

/// Records that a line of \p F allocates \p Memory, and stores its address at
/// \p Out.
void LifetimeModel::noteMade(const Frame &F, ValueId Memory, ValueId Out) {
  bool InElement = D[Out].Kind != ValueKind::Addr || isOfElement(D, D[Out].A);
  D.noteMemory(Memory, !InElement && loopsAround(*F.Graph, F.Block).empty());
  if (Nodes.Values.count(Memory))
    Nodes.Repeated.insert(Memory); // a graph uses the memory of another call
}

/// The values that may have met at the join \p Phi, and, if some memory is from
/// a pool, at earlier joins; empty if they are not all known.
static llvm::SmallVector<ValueId, 4> leavesOf(const Domain &D, ValueId Phi) {
  llvm::SmallVector<ValueId, 4> Found, Work{Phi};
  llvm::SmallDenseSet<ValueId, 4> Seen{Phi};
  while (!Work.empty()) {
    ValueId From = Work.pop_back_val();
    if (D.overflowed(From))
      return {};
    for (ValueId Each : D.candidates(From))
      if (Seen.insert(Each).second)
        (D[Each].Kind == ValueKind::Phi ? Work : Found).push_back(Each);
  }
  if (llvm::none_of(Found, [&](ValueId Each) {
        return D[Each].Kind == ValueKind::Memory && D[Each].B == TakenMemory;
      }))
    return llvm::SmallVector<ValueId, 4>(D.candidates(Phi));
  return Found;
}

void LifetimeModel::rename(const Frame &F, const Op &O, const State &Before,
                           llvm::ArrayRef<ValueId> Roots, State &After,
                           ValueId &Returned) {
  if (O.ResultIndex == None)
    return;
  llvm::SmallDenseSet<ValueId, 8> Old;
  bool Collected = false;
  const bool Loops = !loopsAround(*F.Graph, F.Block).empty();
  auto Rename = [&](ValueId V) {
    const ValueNode N = D[V];
    if ((N.Kind != ValueKind::Memory && N.Kind != ValueKind::Exec) ||
        OfStatics.contains(V) || Nodes.Lent.count(V))
      return V;
    // A retained value has its own name.
    const bool Retained = Nodes.Values.count(V);
    if (Retained && !(Loops && D.isOneObject(V)))
      return V;
    if (!Collected) {
      Old.insert(Roots.begin(), Roots.end());
      for (const Memory::Item &I : Before.Mem)
        Old.insert(I.Data);
      // The contents written to it also have the new name.
      for (const Memory::Item &I : After.Mem)
        if (const LocNode Root = D.at(D.root(I.Key));
            Root.Kind == LocKind::Pointee &&
            D.text(D.at(I.Key).S) != StoredDeleter)
          Old.insert(Root.A);
      Collected = true;
    }
    if (Old.count(V))
      return V;
    if (Retained) {
      D.noteMemory(V, /*Once=*/false);
      return V;
    }
    int64_t Site = Domain::site(F.Function, O.ResultIndex, 14);
    ValueId Fresh = D.value(
        N.Kind, static_cast<int64_t>(static_cast<uint64_t>(N.N) * 31 + Site),
        N.A, N.B);
    if (Old.count(Fresh) || Nodes.Repeated.contains(V))
      Nodes.Repeated.insert(Fresh);
    Nodes.make(F, Fresh);
    // An algorithm may call its argument repeatedly.
    bool Again = Loops || Old.count(Fresh) || O.Callee == None ||
                 Table.info(O.Callee).IsSystem;
    D.noteMemory(Fresh, D.isOneObject(V) && !Again);
    After.Gone.erase(keyOfValue(Fresh)); // from an earlier iteration
    if (auto It = Nodes.TakenFrom.find(V); It != Nodes.TakenFrom.end()) {
      LocId From = It->second.first;
      // A constructor takes memory once for each object.
      bool Once = Table.info(F.Function).IsConstructor;
      Nodes.TakenFrom[Fresh] = {From, Once ? 0 : O.Range.Begin};
    }
    auto DeleterOf = [&](ValueId Object) {
      return D.loc(LocKind::Field, 0, D.pointee(Object), None, StoredDeleter);
    };
    if (std::optional<unsigned> Deleter = After.Mem.lookup(DeleterOf(V)))
      After.Mem.set(DeleterOf(Fresh), *Deleter);
    After.Dropped.erase(keyOfValue(Fresh));
    if (std::optional<unsigned> End = After.Dropped.lookup(keyOfValue(V)))
      After.Dropped.set(keyOfValue(Fresh), *End);
    for (auto *Each : {&Allocated, &MayAllocate})
      if (auto It = Each->find(V); It != Each->end())
        Each->insert({Fresh, Fact(It->second)});
    return Fresh;
  };
  // Memory from a pool, or else allocated.
  auto RenameEach = [&](ValueId V) {
    if (D[V].Kind != ValueKind::Phi)
      return Rename(V);
    llvm::SmallVector<ValueId, 4> Each = leavesOf(D, V);
    if (Each.empty() || Old.count(V) || !llvm::all_of(Each, [&](ValueId X) {
          return D[X].Kind == ValueKind::Memory || D.asInt(X) == 0;
        }))
      return V;
    bool Changed = false;
    for (ValueId &X : Each)
      if (ValueId Fresh = Rename(X); Fresh != X) {
        X = Fresh;
        Changed = true;
      }
    if (!Changed)
      return V;
    constexpr int64_t Tag = 14;
    int64_t Site = Domain::site(F.Function, O.ResultIndex);
    int64_t Mixed = static_cast<int64_t>(static_cast<uint64_t>(D[V].N) * 31 +
                                         static_cast<uint64_t>(Site));
    ValueId Fresh =
        D.value(ValueKind::Phi, (Mixed & ~int64_t(15)) | Tag, D[V].A);
    for (ValueId X : Each)
      D.addCandidate(Fresh, X);
    return Fresh;
  };
  std::vector<std::pair<LocId, ValueId>> Renamed;
  bool Graphs = false;
  for (const Memory::Item &I : Memory(After.Mem)) {
    ValueKind K = D[I.Data].Kind;
    Graphs |= K == ValueKind::Exec;
    if (K == ValueKind::Memory || K == ValueKind::Exec || K == ValueKind::Phi)
      if (ValueId V = RenameEach(I.Data); V != I.Data)
        Renamed.push_back({I.Key, V});
  }
  Returned = RenameEach(Returned);
  for (auto [L, V] : Renamed)
    After.Mem.set(L, V);
  if (Graphs)
    noteSeveral(F, Before, After);
}

/// Records which captures have their graphs in more than one object: memory
/// that one of these frees is not used by the others.
void LifetimeModel::noteSeveral(const Frame &F, const State &Before,
                                const State &After) {
  for (const Memory::Item &I : After.Mem) {
    const ValueNode N = D[I.Data];
    if (N.Kind != ValueKind::Exec || Nodes.Several.count(N.A) ||
        Before.Mem.lookup(I.Key) == I.Data)
      continue;
    FunctionId Keeper = F.root().Function;
    bool Elsewhere = llvm::any_of(Before.Mem, [&](const Memory::Item &Other) {
      LocId Root = D.root(Other.Key);
      const LocNode Owner = D.at(Root);
      Keeper = Owner.Kind == LocKind::Var ? Owner.A : F.root().Function;
      bool Dead = Owner.Kind == LocKind::Result ||
                  (Owner.Kind == LocKind::Temp && D.text(Owner.S) != "heap");
      const ValueNode Held = D[Other.Data];
      // A copy of the handle refers to the same graph.
      if (Other.Data == I.Data && !Nodes.Repeated.contains(I.Data))
        return false;
      return Held.Kind == ValueKind::Exec && Held.A == N.A &&
             Root != D.root(I.Key) && !Dead &&
             After.Mem.lookup(Other.Key) == Other.Data;
    });
    if (Elsewhere)
      Nodes.Several.try_emplace(N.A, Keeper);
  }
}

bool endsWithItsCapture(const NodeTable &Nodes, const Departure &End,
                        CaptureId C, FunctionId Owner) {
  auto Begun = Nodes.BegunUnder.find(C);
  if (Begun == Nodes.BegunUnder.end())
    return false;
  for (FunctionId Each : End.Under) {
    if (Each == Owner)
      return false;
    if (Begun->second.count(Each))
      return true;
  }
  return false;
}

/// Handles the beginning of a capture by \p F: forgets the graph of the earlier
/// iteration, which is not the one that is launched next.
void LifetimeModel::forgetTurn(const Frame &F, State &S) {
  if (S.Active.empty())
    return;
  for (const Frame *A = &F; A; A = A->Parent)
    Nodes.BegunUnder[S.Active.back()].insert(A->Function);
  if (S.Gone.empty())
    return;
  for (const Retained &K : Nodes.Arguments) {
    if (!W.sameCapture(K.Capture, S.Active.back()))
      continue;
    S.Gone.erase(keyOfValue(K.Value));
    for (ValueId Slot : K.Slots)
      S.Gone.erase(keyOfValue(Slot));
    for (LocId L : {K.Root, K.Holder})
      if (L != None && !areElsewhere(Nodes, F, L))
        S.Gone.erase(keyOfObject(L));
  }
}

} // namespace cudagraph
