//===- LentSlots.cpp - Functions that lend parts of a pool ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LentSlots.h.
//
//===----------------------------------------------------------------------===//

#include "LentSlots.h"
#include "Alternation.h"
#include "CountedLoops.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

namespace {
/// Finds the operations of one function that lend slots.
class SlotSearch {
public:
  SlotSearch(const Relevance &Rel, const FlowGraph &G, FunctionId F,
             const FunctionInfo &Info)
      : Rel(Rel), G(G), F(F), Info(Info) {}

  std::vector<LentSlot> find() {
    std::vector<LentSlot> Found;
    if (!returns())
      return Found;
    for (unsigned B = 0; B < G.Blocks.size(); ++B)
      for (unsigned I = 0; I < G.Blocks[B].Ops.size(); ++I)
        if (std::optional<LentSlot> Slot = lends(B, G.Blocks[B].Ops[I])) {
          Slot->Block = B;
          Slot->Index = I;
          Found.push_back(std::move(*Slot));
        }
    return Found;
  }

private:
  bool returns() const {
    return anyOp([](const Op &O) {
      return O.Kind == OpKind::Return && O.Value != None;
    });
  }

  bool anyOp(llvm::function_ref<bool(const Op &)> Is) const {
    return llvm::any_of(
        G.Blocks, [&](const Block &B) { return llvm::any_of(B.Ops, Is); });
  }

  std::optional<LentSlot> lends(unsigned B, const Op &O) const {
    if (O.Kind == OpKind::Assign)
      if (std::optional<LentSlot> Slot = ofFlag(B, O))
        return Slot;
    if (O.Kind == OpKind::Assign)
      if (std::optional<LentSlot> Slot = ofList(O))
        return Slot;
    if (O.Kind == OpKind::Assign || O.Kind == OpKind::Return)
      return ofArena(B, O);
    return O.Kind == OpKind::Call ? ofTable(O) : std::nullopt;
  }

  /// The local variable whose value selects the slot that contains \p Place.
  ExprId selector(ExprId Place) const {
    for (ExprId P = Place; P != None; P = G.Exprs[P].A) {
      const Expr &E = G.Exprs[P];
      ExprId By = None;
      if (E.Kind == ExprKind::Elem || E.Kind == ExprKind::PtrElem)
        By = readAt(G, E.B);
      else if (E.Kind == ExprKind::Deref)
        By = readAt(G, E.A);
      else if (E.Kind != ExprKind::Field)
        return None;
      if (isLocal(By))
        return By;
      if (E.Kind == ExprKind::Deref)
        return None;
    }
    return None;
  }

  bool isLocal(ExprId E) const {
    return E != None && G.Exprs[E].Kind == ExprKind::Var &&
           G.Exprs[E].N >= G.NumParams;
  }

  /// True if a loop assigns to \p Var.
  bool varies(ExprId Var) const {
    for (unsigned B = 0; B < G.Blocks.size(); ++B)
      if (!loopsAround(G, B).empty() &&
          llvm::any_of(G.Blocks[B].Ops, [&](const Op &O) {
            return (O.Kind == OpKind::Assign || O.Kind == OpKind::Modify) &&
                   O.Place == Var;
          }))
        return true;
    return false;
  }

  /// True if some path from block \p B returns to it.
  bool repeats(unsigned B) const {
    llvm::SmallVector<unsigned, 16> Work{B};
    llvm::BitVector Seen(G.Blocks.size());
    while (!Work.empty())
      for (const Edge &E : G.Blocks[Work.pop_back_val()].Succs) {
        if (E.To == B)
          return true;
        if (!Seen.test(E.To)) {
          Seen.set(E.To);
          Work.push_back(E.To);
        }
      }
    return false;
  }

  /// True if \p E reads \p Place, or a local variable with its contents.
  bool reads(ExprId E, ExprId Place) const {
    llvm::SmallVector<ExprId, 8> Work{E};
    llvm::SmallDenseSet<ExprId, 8> Seen;
    while (!Work.empty()) {
      ExprId Id = Work.pop_back_val();
      if (Id == None || !Seen.insert(Id).second)
        continue;
      if (readAt(G, Id) == Place)
        return true;
      const Expr &X = G.Exprs[Id];
      Work.append({X.A, X.B, X.C});
      if (X.Kind == ExprKind::Var && isLocal(Id))
        for (const Block &B : G.Blocks)
          for (const Op &O : B.Ops)
            if (O.Kind == OpKind::Assign && O.Place == Id)
              Work.push_back(O.Value);
    }
    return false;
  }

  /// A loop leaves with the first slot whose flag is not set, and sets it.
  std::optional<LentSlot> ofFlag(unsigned B, const Op &O) const {
    const std::string *Name = writeKey(G, O.Place);
    const Expr &Value = G.Exprs[O.Value];
    ExprId Var = Name ? selector(O.Place) : None;
    if (Value.Kind != ExprKind::Int || Var == None || repeats(B) ||
        llvm::none_of(
            G.Blocks,
            [&](const Block &Test) { return reads(Test.Cond, O.Place); }) ||
        !varies(Var))
      return std::nullopt;
    LentSlot Slot;
    Slot.Var = G.Exprs[Var].N;
    Slot.Pools.push_back(*Name);
    Slot.Used = Value.N;
    return Slot;
  }

  /// The first slot of a list leaves it: `head = slot->next`.
  std::optional<LentSlot> ofList(const Op &O) const {
    const Expr &Head = G.Exprs[O.Place];
    ExprId Next = readAt(G, O.Value);
    ExprId Var = Next == None ? None : selector(Next);
    if ((Head.Kind != ExprKind::Field && Head.Kind != ExprKind::Global) ||
        Var == None || !anyOp([&](const Op &X) {
          return X.Kind == OpKind::Assign && X.Place == Var &&
                 readAt(G, X.Value) == O.Place;
        }))
      return std::nullopt;
    LentSlot Slot;
    Slot.Var = G.Exprs[Var].N;
    Slot.Pools.push_back(Head.S);
    return Slot;
  }

  /// A range leaves the table of unused ranges: `free.erase(it)`.
  std::optional<LentSlot> ofTable(const Op &O) const {
    const catalogue::Entry *E =
        O.Callee != None && O.Object != None ? Rel.entryFor(O.Callee) : nullptr;
    const std::string *Name =
        O.Object == None ? nullptr : writeKey(G, O.Object);
    if (!E || !Name || !E->has(catalogue::Trait::Table) || E->arg("adds") ||
        O.Args.size() != 1)
      return std::nullopt;
    ExprId At = readAt(G, O.Args[0].Value), Var = None;
    if (!isLocal(At))
      return std::nullopt;
    for (const Block &B : G.Blocks)
      for (const Op &X : B.Ops)
        if (X.Kind == OpKind::Assign && isLocal(X.Place) &&
            isKeyAt(readAt(G, X.Value), At))
          Var = X.Place;
    if (Var == None)
      return std::nullopt;
    LentSlot Slot;
    Slot.Var = G.Exprs[Var].N;
    Slot.Pools.push_back(*Name);
    for (const Block &B : G.Blocks)
      for (const Op &X : B.Ops)
        if (X.Kind == OpKind::Assign &&
            G.Exprs[X.Place].Kind == ExprKind::Elem &&
            readAt(G, G.Exprs[X.Place].B) == Var)
          if (const std::string *Other = writeKey(G, X.Place);
              Other && !llvm::is_contained(Slot.Pools, *Other))
            Slot.Pools.push_back(*Other);
    return Slot;
  }

  /// The address of a range is computed from the cursor of an arena, which the
  /// function advances and another function resets.
  std::optional<LentSlot> ofArena(unsigned B, const Op &O) const {
    bool Returns = O.Kind == OpKind::Return;
    if (O.Value == None || repeats(B) ||
        (Returns ? !Info.ReturnsHandle
                 : !isLocal(O.Place) || G.Vars[G.Exprs[O.Place].N].IsNumber))
      return std::nullopt; // not an address
    Expr Sum = G.Exprs[O.Value];
    if (Sum.Kind == ExprKind::AddrOf) // of the element at the offset
      Sum = G.Exprs[Sum.A];
    else if (Sum.Kind == ExprKind::Op && Sum.S != "+")
      return std::nullopt;
    if (Sum.Kind != ExprKind::PtrElem &&
        (Sum.Kind != ExprKind::Op || Sum.B == None))
      return std::nullopt;
    for (const Block &Each : G.Blocks)
      for (const Op &X : Each.Ops) {
        bool Advances = X.Kind == OpKind::Modify ||
                        (X.Kind == OpKind::Assign && isSum(G, X.Value));
        const std::string *Name = Advances ? writeKey(G, X.Place) : nullptr;
        if (!Name || !reads(Sum.B, X.Place) || reads(Sum.A, X.Place) ||
            !isReset(*Name))
          continue;
        LentSlot Slot;
        if (!Returns)
          Slot.Var = G.Exprs[O.Place].N;
        Slot.Pools.push_back(*Name);
        Slot.Cursor = X.Place;
        Slot.Offset = Sum.B;
        return Slot;
      }
    return std::nullopt;
  }

  /// True if a function other than this one assigns to the cursor \p Name.
  bool isReset(llvm::StringRef Name) const {
    const WriteSummary *Writes = Rel.writes(Name);
    return Writes &&
           (llvm::any_of(Writes->Resets,
                         [&](FunctionId Each) { return Each != F; }) ||
            llvm::any_of(Writes->Setters, [&](const WriteSummary::Change &C) {
              return C.In != F;
            }));
  }

  /// True if \p Place is the key of the element to which the iterator in \p At
  /// refers.
  bool isKeyAt(ExprId Place, ExprId At) const {
    if (Place == None || G.Exprs[Place].Kind != ExprKind::Field ||
        !llvm::StringRef(G.Exprs[Place].S).ends_with("::first"))
      return false;
    const Expr &Of = G.Exprs[G.Exprs[Place].A];
    return Of.Kind == ExprKind::Deref && readAt(G, Of.A) == At;
  }

  const Relevance &Rel;
  const FlowGraph &G;
  const FunctionId F;
  const FunctionInfo &Info;
};
} // namespace

llvm::ArrayRef<LentSlot> LentSlots::of(FunctionId F) {
  auto [It, New] = Found.try_emplace(F);
  if (New)
    if (const FlowGraph *G = Table.graph(F); G && !Table.info(F).IsSystem)
      for (LentSlot &Slot :
           It->second = SlotSearch(Rel, *G, F, Table.info(F)).find())
        Slot.In = F;
  return It->second;
}

} // namespace cudagraph
