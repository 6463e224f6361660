//===- Owners.cpp - Owners of the targets of smart pointers ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Owners.h.
//
//===----------------------------------------------------------------------===//

#include "Owners.h"
#include "analysis/ir/StoredDeleter.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

bool isMadeObject(const Domain &D, ValueId V) {
  const ValueNode N = D[V];
  if (N.Kind != ValueKind::Addr)
    return false;
  const LocNode Root = D.at(D.root(N.A));
  return Root.Kind == LocKind::Temp && D.text(Root.S) == "heap";
}

bool Owners::mayOwn(LocId L) const {
  const LocNode N = D.at(L);
  switch (N.Kind) {
  case LocKind::Global:
  case LocKind::Elem:
  case LocKind::Return:
  case LocKind::Pointee:
    return true;
  case LocKind::Field: {
    // A temporary gives its members to the object that is created from it.
    const LocNode Root = D.at(D.root(L));
    return D.slotAt(L) == Slot::None && Root.Kind != LocKind::Result &&
           (Root.Kind != LocKind::Temp || D.text(Root.S) == "heap");
  }
  case LocKind::Temp:
    return D.text(N.S) == "heap";
  case LocKind::Var: {
    const FlowGraph *G = Table.graph(N.A);
    return G && static_cast<size_t>(N.N) < G->Vars.size() &&
           G->Vars[N.N].SharesObject;
  }
  default:
    return false;
  }
}

bool Owners::holds(ValueId V, ValueId Object) const {
  bool Result = mayBe(V, Object);
  if (!Result && D[V].Kind == ValueKind::Op) // a tuple, a structure
    D.visitTree(V, [&](ValueId Part) { Result |= Part == Object; });
  return Result;
}

/// True if \p L is in the unnamed object that \p F, or a caller, returns, which
/// exists before the local variables of that function end.
static bool isInResult(const Domain &D, const Frame &F, LocId L) {
  const LocNode Root = D.at(D.root(L));
  const Frame *Maker = &F;
  while (Maker && Root.A != Maker->Function)
    Maker = Maker->Parent;
  if (Root.Kind != LocKind::Temp || !Maker)
    return false;
  // The result may be a copy of it, or of a closure that contains it.
  const FlowGraph &G = *Maker->Graph;
  llvm::SmallVector<ExprId, 16> Work;
  llvm::SmallDenseSet<ExprId, 16> Seen;
  auto AddWhere = [&](auto Is) {
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops)
        if (Is(O))
          Work.push_back(O.Value);
  };
  AddWhere([](const Op &O) { return O.Kind == OpKind::Return; });
  while (!Work.empty()) {
    ExprId Id = Work.pop_back_val();
    if (Id == None || !Seen.insert(Id).second)
      continue;
    const Expr &E = G.Exprs[Id];
    if (E.Kind == ExprKind::Temp && E.N == Root.N && E.S == D.text(Root.S))
      return true;
    if (E.Kind == ExprKind::Temp)
      AddWhere([&](const Op &O) {
        return O.Kind == OpKind::Assign && O.Place == Id;
      });
    Work.append({E.A, E.B, E.C});
  }
  return false;
}

bool hasDeleter(Domain &D, const State &S, ValueId V) {
  return S.Mem.contains(
      D.loc(LocKind::Field, 0, D.pointee(V), None, StoredDeleter));
}

Owners::Last Owners::isLast(const Frame &F, const State &S, ValueId Pointer,
                            LocId Owner) const {
  if (Pointer == None || D.overflowed(Pointer))
    return Last::No;
  bool Perhaps = false;
  const bool HasDeleter = hasDeleter(D, S, Pointer);
  // Code that is not visible may store an object that it created. A member is
  // often the only owner of its object at the start.
  auto IsElsewhere = [&](ValueId V) {
    const ValueNode N = D[V];
    if (isMadeObject(D, V) || D.asInt(V) == 0 ||
        (HasDeleter && D[V].Kind == ValueKind::Memory))
      return S.Owned.contains(V);
    bool Own =
        N.Kind == ValueKind::Init &&
        (N.A == Owner ? D.at(Owner).Kind != LocKind::Var : S.Mem.contains(N.A));
    Perhaps |= Own;
    return !Own;
  };
  llvm::ArrayRef<ValueId> Several = D.candidates(Pointer);
  if (Several.empty() ? IsElsewhere(Pointer)
                      : llvm::any_of(Several, IsElsewhere))
    return Last::No;
  // Two null pointers do not share an object.
  auto Holds = [&](ValueId V) {
    return Several.empty() ? holds(V, Pointer)
                           : llvm::any_of(Several, [&](ValueId Each) {
                               return D.asInt(Each) != 0 && holds(V, Each);
                             });
  };
  if (llvm::any_of(S.Mem, [&](const Memory::Item &I) {
        // The types of the parts of a tuple are unknown.
        return I.Key != Owner && Holds(I.Data) && !isOver(D, F, I.Key) &&
               (D[I.Data].Kind == ValueKind::Op || mayOwn(I.Key) ||
                isInResult(D, F, I.Key));
      }))
    return Last::No;
  return Perhaps ? Last::Perhaps : Last::Yes;
}

void Owners::escape(State &S, const CallArg *Arg, ValueId V) const {
  auto Note = [&](ValueId Held) {
    if (isMadeObject(D, Held))
      S.Owned.set(Held, 1);
    else if (D[Held].Kind == ValueKind::Phi || D[Held].Kind == ValueKind::Op)
      D.visitTree(Held, [&](ValueId Part) {
        if (isMadeObject(D, Part))
          S.Owned.set(Part, 1);
      });
  };
  if (V == None)
    return;
  if (Arg && Arg->Sort == CallArg::Class)
    Note(V);
  if (D[V].Kind != ValueKind::Addr)
    return;
  // The object may be an owner, or have owners as members.
  for (const Memory::Item &I : S.Mem) {
    LocId L = I.Key;
    while (L != D[V].A &&
           (D.at(L).Kind == LocKind::Field || D.at(L).Kind == LocKind::Elem))
      L = D.at(L).A;
    if (L == D[V].A)
      Note(I.Data);
  }
}

void Owners::escape(State &S, const Op &O, llvm::ArrayRef<ValueId> Args) const {
  for (unsigned I = 0; I < Args.size(); ++I)
    escape(S, O.arg(I), Args[I]);
}

} // namespace cudagraph
