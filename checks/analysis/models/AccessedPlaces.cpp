//===- AccessedPlaces.cpp - The names of accessed memory ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory that the arguments of a call lead to: two calls use the same
// memory if it has one name, and if the parts that they use overlap.
//
//===----------------------------------------------------------------------===//

#include "AccessModel.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace cudagraph {

/// The addresses that \p C receives, including those in objects.
std::vector<AccessModel::Access> AccessModel::accessesOf(const Call &C,
                                                         State &S) {
  std::vector<Access> All;
  for (unsigned I = 0; I < C.Args.size() && I < C.O.Args.size(); ++I)
    All.push_back({C.O.Args[I], C.Args[I]});
  for (const CallArg &Each : C.O.Pointers) {
    LocId Member = Use.Calls.evalPlace(C.F, C.F.Graph->Exprs[Each.Value].A, S);
    All.push_back({Each, cudagraph::read(D, S, Member)});
  }
  return All;
}

/// An address as the number of an element behind another address.
static std::pair<LocId, int64_t> partOf(Domain &D, ValueId Address) {
  int64_t Number = 0;
  if (D[Address].Kind != ValueKind::Addr)
    return {D.pointee(Address), Number};
  LocId L = D[Address].A;
  while (D.at(L).Kind == LocKind::Elem && D.at(L).B != None) {
    std::optional<int64_t> Index = D.asInt(D.at(L).B);
    if (!Index)
      break;
    Number += *Index;
    L = D.at(L).A;
  }
  return {L, Number};
}

/// True if the threads of \p Writer, each of which writes an element, probably
/// write the one at \p Address, which is behind its own address.
bool AccessModel::overlap(const Work &Writer, ValueId Address) const {
  if (!Writer.Whole || !Writer.Threads)
    return false;
  auto [Base, Behind] = partOf(D, Address);
  auto [Own, First] = partOf(D, Writer.Address);
  return Base == Own && First < Behind &&
         static_cast<uint64_t>(Behind - First) < Writer.Threads;
}

/// The name of the memory at \p Address, if it is known to exist only once:
/// several places may contain its address.
ValueId AccessModel::oneObject(ValueId Address) const {
  if (Address == None)
    return None;
  const ValueNode N = D[Address];
  if (N.Kind == ValueKind::Init && Streams.isOneObject(N.A))
    return D.value(ValueKind::Addr, 0, N.A);
  return N.Kind == ValueKind::Memory && D.isOneObject(Address) ? Address : None;
}

/// The address of the place from which the address in \p A was read. If a
/// pointer led to that place: the address itself, if it has a name. None if
/// there is no such place, or if one of several elements contains it.
ValueId AccessModel::placeOf(const Call &C, State &S, const Access &A) {
  if (ValueId One = oneObject(A.Address); One != None)
    return One;
  Inputs::Places From = Inputs(W, Use.Calls).of(C.F, A.Arg.Value, S);
  ValueId Address = A.Address, Base = Address;
  // A part of the memory, at a known distance from its beginning.
  if (D[Address].Kind == ValueKind::Addr) {
    LocId L = D[Address].A;
    while (D.at(L).Kind == LocKind::Elem && D.at(L).B != None &&
           D.asInt(D.at(L).B))
      L = D.at(L).A;
    if (D.at(L).Kind == LocKind::Pointee)
      Base = D.at(L).A;
  }
  if (From.empty() || llvm::any_of(From, [&](const Inputs::Input &I) {
        return isOfSomeElement(D, I.Place) &&
               (Base == Address || D.root(I.Place) != D.pointee(Base));
      }))
    return None;
  if (From.size() == 1)
    return D.value(ValueKind::Addr, 0, From.front().Place);
  // The others select it, such as the index of a known element, or are copies
  // in variables.
  llvm::SmallVector<LocId, 4> Holds, HoldParts;
  for (const Inputs::Input &I : From) {
    ValueId Held = cudagraph::read(D, S, I.Place);
    ValueKind K = D[Held].Kind;
    if (Held == Address)
      Holds.push_back(I.Place);
    else if ((K == ValueKind::Addr || K == ValueKind::Memory) &&
             partOf(D, Held).first == partOf(D, Address).first)
      HoldParts.push_back(I.Place);
  }
  auto IsVariable = [&](LocId L) { return D.at(L).Kind == LocKind::Var; };
  if (llvm::all_of(Holds, IsVariable))
    Holds.append(HoldParts);
  if (Holds.size() > 1)
    llvm::erase_if(Holds, IsVariable);
  if (Holds.size() == 1)
    return D.value(ValueKind::Addr, 0, Holds.front());
  ValueKind K = D[Base].Kind;
  return (K == ValueKind::Memory && !isOfSeveralMembers(S, Base)) ||
                 K == ValueKind::Init
             ? Address
             : None;
}

/// True if several members contain the address \p V, or only elements do: one
/// call in a loop may allocate memory for each.
bool AccessModel::isOfSeveralMembers(const State &S, ValueId V) const {
  std::set<unsigned> Names;
  bool InElements = false, Elsewhere = false;
  for (const Memory::Item &I : S.Mem) {
    const LocNode At = D.at(I.Key);
    if (I.Data != V)
      continue;
    if (At.Kind == LocKind::Field || At.Kind == LocKind::Global)
      Names.insert(At.S);
    (isOfElement(D, I.Key) ? InElements : Elsewhere) = true;
  }
  return Names.size() > 1 || (InElements && !Elsewhere);
}

} // namespace cudagraph
