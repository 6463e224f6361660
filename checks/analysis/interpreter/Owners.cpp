//===- Owners.cpp - Who owns what smart pointers point to -----------------===//
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
  case LocKind::Field:
    return D.slotAt(L) == Slot::None;
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

Owners::Last Owners::isLast(const State &S, ValueId Pointer,
                            LocId Owner) const {
  if (Pointer == None || D.overflowed(Pointer))
    return Last::No;
  bool Perhaps = false;
  // Code that is not seen may keep an object that it made. A member is often
  // the only owner of the object that it held at the start.
  auto IsElsewhere = [&](ValueId V) {
    const ValueNode N = D[V];
    if (isMadeObject(D, V) || D.asInt(V) == 0)
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
  if (llvm::any_of(S.Mem, [&](const Memory::Item &I) {
        return I.Key != Owner && mayBe(I.Data, Pointer) && mayOwn(I.Key);
      }))
    return Last::No;
  return Perhaps ? Last::Perhaps : Last::Yes;
}

void Owners::escape(State &S, const CallArg *Arg, ValueId V) const {
  auto Note = [&](ValueId Held) {
    if (isMadeObject(D, Held))
      S.Owned.set(Held, 1);
    for (ValueId Each : D.candidates(Held))
      if (isMadeObject(D, Each))
        S.Owned.set(Each, 1);
  };
  if (V == None)
    return;
  if (Arg && Arg->Sort == CallArg::Class)
    Note(V);
  if (D[V].Kind != ValueKind::Addr || !mayOwn(D[V].A))
    return;
  if (std::optional<unsigned> Held = S.Mem.lookup(D[V].A))
    Note(*Held);
}

} // namespace cudagraph
