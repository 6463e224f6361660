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
#include "analysis/ir/Tuples.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

LocId someElement(Domain &D, LocId L) {
  const LocNode N = D.at(L);
  switch (N.Kind) {
  case LocKind::Field:
    return D.loc(N.Kind, N.N, someElement(D, N.A), N.B, D.text(N.S));
  case LocKind::Elem:
    return D.loc(N.Kind, N.N, someElement(D, N.A), None, D.text(N.S));
  case LocKind::Pointee: {
    const ValueNode To = D[N.A];
    if (To.Kind != ValueKind::Init)
      return L;
    LocId Holder = someElement(D, To.A);
    return Holder == To.A ? L : D.pointee(defaultContents(D, Holder));
  }
  default:
    return L;
  }
}

LocId eitherElement(Domain &D, LocId A, LocId B) {
  if (A == B)
    return A;
  const LocNode M = D.at(A), N = D.at(B);
  if (M.Kind != N.Kind || M.N != N.N || M.S != N.S ||
      (M.Kind != LocKind::Elem && M.Kind != LocKind::Field))
    return None;
  LocId Whole = eitherElement(D, M.A, N.A);
  if (Whole == None)
    return None;
  return D.loc(M.Kind, M.N, Whole, M.B == N.B ? M.B : None, D.text(M.S));
}

bool isOfSomeElement(const Domain &D, LocId L) {
  for (;; L = D.at(L).A) {
    const LocNode N = D.at(L);
    if (N.Kind == LocKind::Elem && N.B == None)
      return true;
    if (N.Kind == LocKind::Pointee && D[N.A].Kind == ValueKind::Init)
      return isOfSomeElement(D, D[N.A].A);
    if (N.Kind != LocKind::Elem && N.Kind != LocKind::Field)
      return false;
  }
}

bool isOfElement(const Domain &D, LocId L) {
  while (D.at(L).Kind == LocKind::Field)
    L = D.at(L).A;
  return D.at(L).Kind == LocKind::Elem;
}

/// True for the name of the last stream or event that a call created.
static bool isLast(const ValueNode &N) {
  return (N.Kind == ValueKind::Stream || N.Kind == ValueKind::Event) &&
         N.A == None;
}

ValueId ownHandle(const Domain &D, LocId L, ValueId A, ValueId B) {
  const ValueNode M = D[A], N = D[B];
  if (M.Kind != N.Kind || M.N != N.N || M.B != N.B)
    return None;
  return isLast(M) && N.A == L ? B : isLast(N) && M.A == L ? A : None;
}

void renameOlder(Domain &D, State &S, ValueId V) {
  const ValueNode N = D[V];
  if (!isLast(N))
    return;
  std::vector<LocId> Older;
  for (const Memory::Item &I : S.Mem)
    if (isOfElement(D, I.Key) &&
        (I.Data == V || (D[I.Data].Kind == ValueKind::Phi &&
                         llvm::is_contained(D.candidates(I.Data), V))))
      Older.push_back(I.Key);
  for (LocId L : Older) {
    ValueId Own = D.value(N.Kind, N.N, L, N.B), Old = *S.Mem.lookup(L);
    if (Old == V)
      S.Mem.set(L, Own);
    else
      D.addCandidate(Old, Own);
  }
}

ValueId someHandle(Domain &D, ValueId V) {
  const ValueNode N = D[V];
  if (N.Kind == ValueKind::Init)
    return defaultContents(D, someElement(D, N.A));
  if ((N.Kind == ValueKind::Stream || N.Kind == ValueKind::Event) &&
      N.A != None)
    return D.value(N.Kind, N.N, someElement(D, N.A), N.B);
  return V;
}

/// True if \p L denotes the same part as \p Some, either of one particular
/// element or of an unspecified one.
static bool isElementOf(const Domain &D, LocId L, LocId Some) {
  while (L != Some) {
    const LocNode X = D.at(L), Y = D.at(Some);
    bool Same = X.Kind == Y.Kind && X.N == Y.N && X.S == Y.S &&
                (X.B == Y.B || Y.B == None);
    if (!Same || (X.Kind != LocKind::Elem && X.Kind != LocKind::Field))
      return false;
    L = X.A;
    Some = Y.A;
  }
  return true;
}

static bool isCallable(ValueKind K) {
  return K == ValueKind::Function || K == ValueKind::Closure;
}

bool isHandle(const Domain &D, ValueId V) {
  const ValueNode N = D[V];
  if (N.Kind == ValueKind::Phi && N.N == SeveralElements)
    return !D.candidates(V).empty() &&
           llvm::all_of(D.candidates(V),
                        [&](ValueId Each) { return isHandle(D, Each); });
  return isCallable(N.Kind) || N.Kind == ValueKind::Stream ||
         N.Kind == ValueKind::Event || N.Kind == ValueKind::Handle;
}

/// True if \p A and \p B are both callables, both handles, or both addresses of
/// objects.
static bool areAlike(const Domain &D, ValueId A, ValueId B) {
  ValueKind X = D[A].Kind, Y = D[B].Kind;
  return isCallable(X) == isCallable(Y) &&
         (X == ValueKind::Addr) == (Y == ValueKind::Addr);
}

/// \p Some is an unspecified element of an array, or a part of one. Returns the
/// callables, streams, events, library handles, or addresses of objects that
/// were stored in the elements of that array; None if there are none, or if the
/// elements have other contents.
static ValueId anyHandle(Domain &D, const State &S, LocId Some) {
  llvm::SmallVector<ValueId, 8> Found;
  for (const Memory::Item &I : S.Mem) {
    if (!isElementOf(D, I.Key, Some))
      continue;
    ValueKind K = D[I.Data].Kind;
    if ((!isHandle(D, I.Data) && K != ValueKind::Addr) || K == ValueKind::Phi ||
        (!Found.empty() && !areAlike(D, I.Data, Found.front())))
      return None;
    if (!llvm::is_contained(Found, I.Data))
      Found.push_back(I.Data);
  }
  if (Found.size() < 2)
    return Found.empty() ? None : Found.front();
  ValueId Phi = D.value(ValueKind::Phi, SeveralElements, Some);
  for (ValueId V : Found)
    D.addCandidate(Phi, V);
  return Phi;
}

/// Returns the part of \p New that \p L is of \p Root.
static LocId moved(Domain &D, LocId L, LocId Root, LocId New) {
  if (L == Root)
    return New;
  const LocNode N = D.at(L);
  return D.loc(N.Kind, N.N, moved(D, N.A, Root, New), N.B, D.text(N.S));
}

/// \p L is a part of the target of a pointer. If that is one of several
/// objects, returns the handle or the address that is stored there in any of
/// them; otherwise None.
static ValueId readAny(Domain &D, const State &S, LocId L) {
  LocId Root = D.root(L);
  ValueId Pointer = D.at(Root).A;
  if (D.at(Root).Kind != LocKind::Pointee ||
      D[Pointer].Kind != ValueKind::Phi || D.overflowed(Pointer))
    return None;
  llvm::SmallVector<ValueId, 6> Found;
  for (ValueId Each : llvm::SmallVector<ValueId, 6>(D.candidates(Pointer))) {
    if (D.asInt(Each) == 0)
      continue;
    if (D[Each].Kind != ValueKind::Addr)
      return None;
    ValueId V = read(D, S, moved(D, L, Root, D[Each].A));
    ValueKind K = D[V].Kind;
    if ((!isHandle(D, V) && K != ValueKind::Addr && K != ValueKind::Init) ||
        K == ValueKind::Phi ||
        (!Found.empty() && !areAlike(D, V, Found.front())))
      return None;
    if (!llvm::is_contained(Found, V))
      Found.push_back(V);
  }
  if (Found.size() < 2)
    return Found.empty() ? None : Found.front();
  ValueId Phi = D.value(ValueKind::Phi, D[Pointer].N, L);
  for (ValueId V : Found)
    D.addCandidate(Phi, V);
  return Phi;
}

/// The value stored in an unspecified element, viewed from the particular
/// element that contains \p L: streams, events, and memory created in a loop
/// differ between elements. Numbers may also differ, in an unknown way; in that
/// case, returns None.
static ValueId asElement(Domain &D, const State &S, LocId L) {
  const LocNode N = D.at(L);
  std::optional<unsigned> V;
  if (N.Kind == LocKind::Elem && N.B != None)
    V = S.Mem.lookup(D.loc(LocKind::Elem, 0, N.A, None));
  if (LocId Some = V ? L : someElement(D, L); Some != L)
    V = S.Mem.lookup(Some);
  if (!V)
    return None;
  const ValueNode Any = D[*V];
  if (isLast(Any))
    return *V;
  switch (Any.Kind) {
  case ValueKind::Stream:
  case ValueKind::Event:
    return D.value(Any.Kind, Any.N, L, Any.B);
  case ValueKind::Memory:
    return D.value(ValueKind::Memory,
                   static_cast<int64_t>(static_cast<uint64_t>(Any.N) * 31 + L),
                   Any.A, Any.B);
  case ValueKind::Function:
  case ValueKind::Closure:
  case ValueKind::Handle:
  case ValueKind::Addr:
    return *V;
  case ValueKind::Phi:
    return N.Kind == LocKind::Elem || Any.N == SeveralElements ? *V : None;
  default:
    return N.Kind == LocKind::Elem ? *V : None;
  }
}

/// Returns the element \p Index of \p Tuple, or \p Tuple if the index is
/// unknown.
static ValueId elementOfTuple(const Domain &D, ValueId Tuple, ValueId Index) {
  std::optional<int64_t> I = D.asInt(Index);
  ValueId Rest = Tuple;
  while (I && *I > 0 && D[Rest].Kind == ValueKind::Op &&
         D.text(D[Rest].S) == TupleOp) {
    Rest = D[Rest].B;
    --*I;
  }
  bool Found = I && *I == 0 && D[Rest].Kind == ValueKind::Op &&
               D.text(D[Rest].S) == TupleOp;
  return Found ? D[Rest].A : Tuple;
}

/// True if the object at \p L, a copy \p V of another object, has parts that
/// were written or copied.
static bool hasOwnParts(const Domain &D, const State &S, LocId L, ValueId V) {
  LocKind K = D.at(L).Kind;
  return D[V].Kind == ValueKind::CopyOf && D[V].A != L &&
         (K == LocKind::Var || K == LocKind::Temp) &&
         llvm::any_of(S.Mem, [&](const Memory::Item &I) {
           LocKind Part = D.at(I.Key).Kind;
           return (Part == LocKind::Field || Part == LocKind::Elem) &&
                  D.root(I.Key) == L;
         });
}

ValueId read(Domain &D, const State &S, LocId L) {
  if (std::optional<unsigned> V = S.Mem.lookup(L))
    return hasOwnParts(D, S, L, *V) ? D.value(ValueKind::CopyOf, 0, L) : *V;
  if (!D.Constants.empty())
    if (auto It = D.Constants.find(L); It != D.Constants.end())
      return It->second;
  // The result of a library function, computed from its arguments and returned
  // by reference.
  if (D.at(L).Kind == LocKind::Pointee)
    if (const ValueNode V = D[D.at(L).A];
        V.Kind == ValueKind::Op && D.text(V.S) == "library")
      return D.at(L).A;
  if (ValueId V = readAny(D, S, L); V != None)
    return V;
  // A part of an object that stands for another object, or was copied from one.
  const LocNode N = D.at(L);
  // Each part of a value from the device is from the device.
  if (N.Kind == LocKind::Elem || N.Kind == LocKind::Field)
    if (std::optional<unsigned> V = S.Mem.lookup(N.A);
        V && D[*V].Kind == ValueKind::DeviceRead)
      return *V;
  bool Part = N.Kind == LocKind::Elem || N.Kind == LocKind::Field;
  if (Part)
    if (ValueId V = asElement(D, S, L); V != None)
      return V;
  // An unspecified element of a table is any one of its elements.
  if (Part && isOfSomeElement(D, L))
    if (ValueId V = anyHandle(D, S, L); V != None)
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
        return W; // created from these values; their order is unknown
      if (D.asInt(W) == 0)
        return W; // all of it was set to zero
      if (V.Kind == ValueKind::Op && D.text(V.S) == TupleOp)
        return elementOfTuple(D, W, N.B);
      // The elements of a value that a library created have that value.
      if (V.Kind == ValueKind::Op && N.Kind == LocKind::Elem)
        return W;
    }
  }
  // An object whose members were written: a copy refers to it.
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

/// Stores \p V in \p L. The possible contents of other elements do not change.
static void put(Domain &D, State &S, LocId L, ValueId V) {
  std::optional<unsigned> Old =
      isOfSomeElement(D, L) ? S.Mem.lookup(L) : std::nullopt;
  if (Old && isLast(D[V]))
    if (ValueId Own = D.value(D[V].Kind, D[V].N, L, D[V].B);
        *Old == Own || (D[*Old].Kind == ValueKind::Phi &&
                        llvm::is_contained(D.candidates(*Old), Own)))
      V = Own; // one of those that a loop creates
  if (Old && *Old != V &&
      (D.at(L).Kind == LocKind::Elem ||
       (isHandle(D, V) && isHandle(D, *Old)))) {
    ValueId Phi = D.value(ValueKind::Phi, SeveralElements, L);
    D.addCandidate(Phi, *Old);
    D.addCandidate(Phi, V);
    V = Phi;
  }
  S.Mem.set(L, V);
}

void assign(Domain &D, State &S, LocId L, ValueId V) {
  const LocNode N = D.at(L);
  if (N.Kind != LocKind::Elem || N.B != None) {
    // A whole object: the new value determines its members.
    ValueKind K = D[V].Kind;
    if (K == ValueKind::CopyOf || K == ValueKind::Init || D.asInt(V) == 0 ||
        (K == ValueKind::Op &&
         (D.text(D[V].S) == "aggregate" || D.text(D[V].S) == TupleOp)))
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
    LocId From = D[V].A;
    copyMembers(D, S, From, L);
    // The other parts are still those of the original.
    if (std::optional<unsigned> Whole = S.Mem.lookup(From);
        Whole && D[*Whole].Kind == ValueKind::CopyOf && D[*Whole].A != L)
      V = *Whole;
  }
  put(D, S, L, V);
}

void clear(Domain &D, State &S, LocId L, ValueId V) {
  S.Mem.eraseIf([&](const Memory::Item &I) {
    for (LocId P = I.Key;
         D.at(P).Kind == LocKind::Field || D.at(P).Kind == LocKind::Elem;
         P = D.at(P).A)
      if (D.at(P).Kind == LocKind::Elem && D.at(P).A == L)
        return true;
    return false;
  });
  if (V != None)
    S.Mem.set(D.loc(LocKind::Elem, 0, L, None), V);
}

void copyMembers(Domain &D, State &S, LocId From, LocId To) {
  copyMembers(D, S.Mem, From, S, To);
}

void copyMembers(Domain &D, const Memory &Source, LocId From, State &S,
                 LocId To) {
  std::vector<std::pair<LocId, ValueId>> Copies;
  for (const Memory::Item &I : Source) {
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
    put(D, S, L, V);
}

} // namespace cudagraph
