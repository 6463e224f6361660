//===- Slots.cpp - Parts of a pool that graphs use ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Slots.h.
//
//===----------------------------------------------------------------------===//

#include "Slots.h"
#include "Call.h"
#include "analysis/program/Alternation.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

namespace {
/// Finds the lent slots on which values and locations depend.
class SlotFinder {
public:
  SlotFinder(const Domain &D, const NodeTable &Nodes,
             llvm::function_ref<void(ValueId)> Visit)
      : D(D), Nodes(Nodes), Visit(Visit) {}

  void inValue(ValueId V) {
    if (V == None || !D.mentionsSlot(V))
      return;
    D.visitTree(V, [&](ValueId Part) {
      const ValueNode N = D[Part];
      if (N.Kind == ValueKind::Memory && Nodes.Lent.count(Part))
        Visit(Part);
      else if ((N.Kind == ValueKind::Addr || N.Kind == ValueKind::Init) &&
               Seen.insert(N.A).second)
        inPlace(N.A);
    });
  }

  void inPlace(LocId L) {
    if (!D.isOfSlot(L))
      return;
    for (;; L = D.at(L).A) {
      const LocNode N = D.at(L);
      if (N.Kind == LocKind::Elem && N.B != None)
        inValue(N.B);
      if (N.Kind == LocKind::Pointee)
        return inValue(N.A);
      if (N.Kind != LocKind::Elem && N.Kind != LocKind::Field)
        return;
    }
  }

private:
  const Domain &D;
  const NodeTable &Nodes;
  llvm::function_ref<void(ValueId)> Visit;
  /// Values that meet in loops may refer to each other.
  llvm::SmallDenseSet<LocId, 8> Seen;
};
} // namespace

/// Calls \p Visit for the lent slots on which the number or address \p V
/// depends.
static void eachSlotIn(const Domain &D, const NodeTable &Nodes, ValueId V,
                       llvm::function_ref<void(ValueId)> Visit) {
  SlotFinder(D, Nodes, Visit).inValue(V);
}

/// Calls \p Visit for the lent slots that select \p L.
static void eachSlotOf(const Domain &D, const NodeTable &Nodes, LocId L,
                       llvm::function_ref<void(ValueId)> Visit) {
  SlotFinder(D, Nodes, Visit).inPlace(L);
}

namespace {
/// Replaces one lent slot by another in values and locations.
class SlotNames {
public:
  SlotNames(Domain &D, const llvm::SmallDenseMap<ValueId, ValueId, 4> &Names,
            int64_t Site)
      : D(D), Names(Names), Site(Site) {}

  ValueId value(ValueId V) {
    if (V == None || !D.mentionsSlot(V))
      return V;
    if (auto It = Names.find(V); It != Names.end())
      return It->second;
    const ValueNode N = D[V];
    if (N.Kind == ValueKind::Addr || N.Kind == ValueKind::Init) {
      LocId L = place(N.A);
      return L == N.A ? V : D.value(N.Kind, N.N, L, N.B, D.text(N.S));
    }
    if (N.Kind == ValueKind::Phi)
      return phi(V);
    if (N.Kind != ValueKind::Op)
      return V;
    if (auto It = Renamed.find(V); It != Renamed.end())
      return It->second;
    ValueId A = value(N.A), B = value(N.B);
    ValueId New =
        A == N.A && B == N.B ? V : D.value(N.Kind, N.N, A, B, D.text(N.S));
    return Renamed[V] = New;
  }

  LocId place(LocId L) {
    const LocNode N = D.at(L);
    if (N.Kind == LocKind::Pointee) {
      ValueId To = value(N.A);
      return To == N.A ? L : D.pointee(To);
    }
    if (N.Kind != LocKind::Elem && N.Kind != LocKind::Field)
      return L;
    LocId Whole = place(N.A);
    unsigned B = N.Kind == LocKind::Elem && N.B != None ? value(N.B) : N.B;
    return Whole == N.A && B == N.B ? L
                                    : D.loc(N.Kind, N.N, Whole, B, D.text(N.S));
  }

private:
  ValueId phi(ValueId V) {
    if (auto [It, New] = Renamed.try_emplace(V, V); !New || D.overflowed(V))
      return It->second;
    llvm::SmallVector<ValueId, 6> Each(D.candidates(V));
    bool Changed = false;
    for (ValueId &X : Each)
      if (D[X].Kind != ValueKind::Phi)
        if (ValueId New = value(X); New != X) {
          X = New;
          Changed = true;
        }
    if (!Changed)
      return V;
    const ValueNode N = D[V];
    int64_t Mixed = static_cast<int64_t>(static_cast<uint64_t>(N.N) * 31 +
                                         static_cast<uint64_t>(Site));
    ValueId Fresh = D.value(ValueKind::Phi, (Mixed & ~int64_t(15)) | Tag, N.A);
    for (ValueId X : Each)
      D.addCandidate(Fresh, X);
    return Renamed[V] = Fresh;
  }

  Domain &D;
  const llvm::SmallDenseMap<ValueId, ValueId, 4> &Names;
  int64_t Site;
  llvm::SmallDenseMap<ValueId, ValueId, 8> Renamed; ///< phis and operations
  static constexpr int64_t Tag = 13;
};
} // namespace

LocId Slots::poolOf(ValueId Slot) const {
  return D.loc(LocKind::Global, 0, None, None, Nodes.Lent[Slot]->Pools.front());
}

void Slots::keep(Retained &K, ValueId Address) const {
  auto Add = [&](ValueId V) {
    if (!llvm::is_contained(K.Slots, V))
      K.Slots.push_back(V);
  };
  eachSlotIn(D, Nodes, Address, Add);
  if (K.Place != None)
    eachSlotOf(D, Nodes, K.Place, Add);
  for (ValueId V : K.Slots)
    Nodes.Values[V].push_back(Nodes.Arguments.size());
}

/// Returns the address of the slot \p Name that \p F lends, whose address was
/// \p Old; None if it has a name already.
static ValueId addressOf(Domain &D, const LentSlot &Slot, ValueId Old,
                         ValueId Name) {
  const ValueNode N = D[Old];
  bool IsAddress = N.Kind == ValueKind::Addr;
  if (!IsAddress && Slot.Cursor == None)
    return Name;
  LocId At = IsAddress ? N.A : D.pointee(Old);
  if (D.at(At).Kind == LocKind::Elem)
    At = D.at(At).A;
  else if (Slot.Cursor == None || N.Kind == ValueKind::Phi)
    return None;
  return D.value(ValueKind::Addr, 0, D.element(At, Name, false));
}

void Slots::lent(const Frame &F, State &S, const LentSlot &Slot,
                 ValueId Offset) {
  if (S.OtherThread || S.Failing)
    return;
  LocId Var = Slot.Var == None ? D.loc(LocKind::Return, 0, F.Function)
                               : D.loc(LocKind::Var, Slot.Var, F.Function);
  ValueId Name =
      D.value(ValueKind::Memory,
              Domain::site(F.Function, Slot.Block << 10 | Slot.Index, 13), None,
              TakenMemory);
  ValueId New = addressOf(D, Slot, read(D, S, Var), Name);
  if (New == None)
    return;
  Nodes.Lent[Name] = &Slot;
  if (Slot.Cursor != None)
    Nodes.InArenas[Name] = {Calls.evalPlace(F, Slot.Cursor, S), Offset};
  // Other slots may have other flags.
  if (Slot.Used)
    for (const Memory::Item &I : Memory(S.Mem))
      if (stateName(D, I.Key) == Slot.Pools.front())
        S.Mem.set(I.Key, D.opaque(D[Name].N));
  LocId Pool = poolOf(Name);
  if (S.Active.empty() && llvm::any_of(S.Gone, [&](const FactMap::Item &I) {
        return I.Data >> 1 < Nodes.Departures.size() &&
               Nodes.Departures[I.Data >> 1].Pool == Pool;
      }))
    S.Lent.set(Pool, 0);
  S.Mem.set(Var, New);
}

/// True if a slot at \p Offset of an arena is unused if the cursor is \p
/// Cursor.
static bool isBeyond(const Domain &D, ValueId Offset, ValueId Cursor) {
  std::optional<int64_t> X = D.asInt(Offset), Y = D.asInt(Cursor);
  if (Y == 0 || (X && Y && *X >= *Y))
    return true;
  bool Found = false;
  D.visitTree(Offset, [&](ValueId Part) { Found |= Part == Cursor; });
  return Found && !Y;
}

/// Returns those of \p All that \p F returns to the pool \p Pool if it stores
/// \p New there.
Slots::List Slots::ofPool(const Frame &F, llvm::StringRef Pool, ValueId New,
                          llvm::ArrayRef<ValueId> All) const {
  List Found;
  for (ValueId V : All) {
    const LentSlot &Slot = *Nodes.Lent[V];
    std::optional<int64_t> Flag = New == None ? std::nullopt : D.asInt(New);
    if (F.Function != Slot.In && llvm::is_contained(Slot.Pools, Pool) &&
        (!Slot.Used || (Flag && *Flag != *Slot.Used)))
      Found.push_back(V);
  }
  return Found;
}

Slots::List Slots::returnedBy(const Frame &F, LocId Place, ValueId New) const {
  List All;
  if (Nodes.Lent.empty())
    return All;
  eachSlotOf(D, Nodes, Place, [&](ValueId V) {
    // Other keys that depend on the slot are those of its neighbors.
    if (Nodes.Lent[V]->Used || D.at(Place).B == V)
      All.push_back(V);
  });
  // The slot becomes the first one of a list.
  const ValueNode N = D[New];
  if (Nodes.Lent.count(New))
    All.push_back(New);
  else if (N.Kind == ValueKind::Addr && D.at(N.A).Kind == LocKind::Elem &&
           D.at(N.A).B != None && Nodes.Lent.count(D.at(N.A).B))
    All.push_back(D.at(N.A).B);
  for (const auto &[Slot, At] : Nodes.InArenas)
    if (At.first == Place && isBeyond(D, At.second, New))
      All.push_back(Slot);
  return ofPool(F, stateName(D, Place), New, All);
}

Slots::List Slots::returnedBy(const Call &C, State &S) const {
  List All;
  if (Nodes.Lent.empty() || C.Args.empty() || C.O.Object == None ||
      C.This == None || D[C.This].Kind != ValueKind::Addr)
    return All;
  const FlowGraph &G = *C.F.Graph;
  auto Add = [&](ValueId V) { All.push_back(V); };
  eachSlotIn(D, Nodes, heldBy(D, S, C.Args[0]), Add);
  // The key for which a search returned the iterator in the argument.
  auto SearchedFor = [&](const Op &X) {
    if (X.Kind != OpKind::Call || X.Object != C.O.Object || X.Args.size() != 1)
      return;
    const Expr &Key = G.Exprs[X.Args[0].Value];
    if (Key.Kind == ExprKind::AddrOf)
      eachSlotIn(D, Nodes, read(D, S, Calls.evalPlace(C.F, Key.A, S)), Add);
  };
  ExprId At = C.O.Args.empty() ? None : readAt(G, C.O.Args[0].Value);
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (At != None && O.Kind == OpKind::Assign && O.Place == At &&
          G.Exprs[O.Value].Kind == ExprKind::Result)
        for (const Block &Other : G.Blocks)
          for (const Op &X : Other.Ops)
            if (X.ResultIndex == G.Exprs[O.Value].N)
              SearchedFor(X);
  return ofPool(C.F, stateName(D, D[C.This].A), None, All);
}

void Slots::rename(const Frame &F, const Op &O, const State &Before,
                   llvm::ArrayRef<ValueId> Roots, State &After,
                   ValueId &Returned) {
  if (Nodes.Lent.empty() || O.ResultIndex == None)
    return;
  llvm::SmallDenseMap<ValueId, ValueId, 4> Names;
  auto Add = [&](ValueId V) { Names.try_emplace(V, V); };
  auto Drop = [&](ValueId V) { Names.erase(V); };
  auto InState = [&](const State &S, llvm::function_ref<void(ValueId)> Visit) {
    for (const Memory::Item &I : S.Mem) {
      eachSlotOf(D, Nodes, I.Key, Visit);
      eachSlotIn(D, Nodes, I.Data, Visit);
    }
  };
  eachSlotIn(D, Nodes, Returned, Add);
  InState(After, Add);
  if (Names.empty())
    return;
  InState(Before, Drop);
  for (ValueId V : Roots)
    eachSlotIn(D, Nodes, V, Drop);
  for (ValueId V : llvm::to_vector<4>(llvm::make_first_range(Names)))
    if (Nodes.Values.count(V)) // a retained value has its own name
      Names.erase(V);
  if (Names.empty())
    return;
  int64_t Site = Domain::site(F.Function, O.ResultIndex, 14);
  for (auto &[Old, New] : Names) {
    const ValueNode N = D[Old];
    New = D.value(N.Kind,
                  static_cast<int64_t>(static_cast<uint64_t>(N.N) * 31 + Site),
                  N.A, N.B);
    const LentSlot *Slot = Nodes.Lent[Old];
    Nodes.Lent[New] = Slot;
    // A program may take the same ranges of an arena again, in the same order.
    if (Slot->Cursor != None) {
      std::pair<LocId, ValueId> At = Nodes.InArenas[Old];
      Nodes.InArenas[New] = At;
      After.Gone.erase(keyOfValue(New));
    }
  }
  SlotNames ByCall(D, Names, Site);
  Returned = ByCall.value(Returned);
  for (const Memory::Item &I : Memory(After.Mem)) {
    LocId L = ByCall.place(I.Key);
    ValueId V = ByCall.value(I.Data);
    if (L != I.Key)
      After.Mem.erase(I.Key);
    if (L != I.Key || V != I.Data)
      After.Mem.set(L, V);
  }
}

} // namespace cudagraph
