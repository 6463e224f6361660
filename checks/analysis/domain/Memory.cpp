//===- Memory.cpp - Reading and writing memory ----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Memory.h.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// The callables that were stored in elements of the array whose element \p
/// Some is; None if there are none, or other things.
static ValueId anyCallable(Domain &D, const State &S, LocId Some) {
  llvm::SmallVector<ValueId, 8> Found;
  for (const Memory::Item &I : S.Mem) {
    const LocNode L = D.at(I.Key);
    if (L.Kind != LocKind::Elem || L.A != D.at(Some).A)
      continue;
    ValueKind K = D[I.Data].Kind;
    if (K != ValueKind::Function && K != ValueKind::Closure)
      return None;
    if (!llvm::is_contained(Found, I.Data))
      Found.push_back(I.Data);
  }
  if (Found.size() < 2)
    return Found.empty() ? None : Found.front();
  ValueId Phi = D.value(ValueKind::Phi, -2, Some);
  for (ValueId V : Found)
    D.addCandidate(Phi, V);
  return Phi;
}

ValueId read(Domain &D, const State &S, LocId L) {
  if (std::optional<unsigned> V = S.Mem.lookup(L))
    return *V;
  // What a library function made from its arguments, returned by reference.
  if (D.at(L).Kind == LocKind::Pointee)
    if (const ValueNode V = D[D.at(L).A];
        V.Kind == ValueKind::Op && D.text(V.S) == "library")
      return D.at(L).A;
  // A part of an object that was copied from, or is, another one.
  const LocNode N = D.at(L);
  // Of what was read from the device, each part was.
  if (N.Kind == LocKind::Elem || N.Kind == LocKind::Field)
    if (std::optional<unsigned> V = S.Mem.lookup(N.A);
        V && D[*V].Kind == ValueKind::DeviceRead)
      return *V;
  if (N.Kind == LocKind::Elem && N.B != None)
    if (std::optional<unsigned> V =
            S.Mem.lookup(D.loc(LocKind::Elem, 0, N.A, None))) {
      // Streams made in a loop differ from element to element.
      const ValueNode Any = D[*V];
      if (Any.Kind == ValueKind::Stream)
        return D.value(ValueKind::Stream, Any.N, L, Any.B);
      // So does memory.
      if (Any.Kind == ValueKind::Memory)
        return D.value(
            ValueKind::Memory,
            static_cast<int64_t>(static_cast<uint64_t>(Any.N) * 31 + L), Any.A,
            Any.B);
      return *V;
    }
  // Some element of a table of callables is one of them.
  if (N.Kind == LocKind::Elem && N.B == None)
    if (ValueId V = anyCallable(D, S, L); V != None)
      return V;
  if (N.Kind == LocKind::Field || N.Kind == LocKind::Elem) {
    std::optional<unsigned> Whole = S.Mem.lookup(N.A);
    ValueId W = Whole ? *Whole : None;
    if (!Whole &&
        (D.at(N.A).Kind == LocKind::Field || D.at(N.A).Kind == LocKind::Elem))
      W = read(D, S, N.A);
    if (W != None) {
      const ValueNode V = D[W];
      if ((V.Kind == ValueKind::CopyOf || V.Kind == ValueKind::Closure ||
           V.Kind == ValueKind::Init) &&
          V.A != N.A) {
        LocId Source = D.loc(N.Kind, N.N, V.A, N.B, D.text(N.S));
        return read(D, S, Source);
      }
      if (V.Kind == ValueKind::Op && D.text(V.S) == "aggregate")
        return W; // made from these values; which one is which is not known
    }
  }
  // An object with members that have been written: a copy refers to it.
  if (N.Kind == LocKind::Var || N.Kind == LocKind::Temp ||
      N.Kind == LocKind::Pointee)
    for (auto It = S.Mem.begin(); It != S.Mem.end(); ++It) {
      const LocNode Other = D.at(It->getKey());
      if ((Other.Kind == LocKind::Field || Other.Kind == LocKind::Elem) &&
          D.root(It->getKey()) == L)
        return D.value(ValueKind::CopyOf, 0, L);
    }
  return defaultContents(D, L);
}

void assign(Domain &D, State &S, LocId L, ValueId V) {
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
    copyMembers(D, S, D[V].A, L);
  }
  S.Mem.set(L, V);
}

void copyMembers(Domain &D, State &S, LocId From, LocId To) {
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
