//===- Elements.cpp - Elements of arrays and containers -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Elements.h and Memory.h.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
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

bool isOfSomeIndex(const Domain &D, ValueId V) {
  ValueKind K = D[V].Kind;
  if (K == ValueKind::Phi)
    return D[V].N == SeveralElements;
  if (K != ValueKind::Stream && K != ValueKind::Event && K != ValueKind::Init)
    return false;
  for (LocId L = D[V].A; L != None; L = D.at(L).A) {
    const LocNode N = D.at(L);
    if (N.Kind != LocKind::Elem && N.Kind != LocKind::Field)
      return false;
    if (N.Kind == LocKind::Elem && (N.B == None || !D.asInt(N.B)))
      return true;
  }
  return false;
}

bool isOfElement(const Domain &D, LocId L) {
  while (D.at(L).Kind == LocKind::Field)
    L = D.at(L).A;
  return D.at(L).Kind == LocKind::Elem;
}

bool isLast(const ValueNode &N) {
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
         (X == ValueKind::Addr) == (Y == ValueKind::Addr) &&
         (X == ValueKind::Exec) == (Y == ValueKind::Exec);
}

ValueId anyHandle(Domain &D, const State &S, LocId Some) {
  llvm::SmallVector<ValueId, 8> Found;
  for (const Memory::Item &I : S.Mem) {
    if (!isElementOf(D, I.Key, Some))
      continue;
    ValueKind K = D[I.Data].Kind;
    if ((!isHandle(D, I.Data) && K != ValueKind::Addr &&
         K != ValueKind::Exec) ||
        K == ValueKind::Phi ||
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

ValueId eachContents(Domain &D, const State &S, LocId Some, ValueId Common) {
  ValueId Phi = None;
  for (const Memory::Item &I : S.Mem) {
    if (I.Data == Common || !isElementOf(D, I.Key, Some))
      continue;
    if (Phi == None) {
      Phi = D.value(ValueKind::Phi, SeveralElements, Some);
      D.addCandidate(Phi, Common);
    }
    D.addCandidate(Phi, I.Data);
  }
  return Phi == None ? Common : Phi;
}

/// Returns the memory at \p L that the call which created \p Any creates.
static ValueId memoryAt(Domain &D, const ValueNode &Any, LocId L) {
  return D.value(ValueKind::Memory,
                 static_cast<int64_t>(static_cast<uint64_t>(Any.N) * 31 + L),
                 Any.A, Any.B);
}

LocId samePart(Domain &D, LocId L, LocId Root, LocId New) {
  if (L == Root)
    return New;
  const LocNode N = D.at(L);
  return D.loc(N.Kind, N.N, samePart(D, N.A, Root, New), N.B, D.text(N.S));
}

llvm::SmallVector<LocId, 6> partsOfAny(Domain &D, LocId L) {
  LocId Root = D.root(L);
  ValueId Pointer = D.at(Root).A;
  llvm::SmallVector<LocId, 6> Parts;
  if (D.at(Root).Kind != LocKind::Pointee ||
      D[Pointer].Kind != ValueKind::Phi || D[Pointer].N != SeveralElements ||
      D.overflowed(Pointer))
    return Parts;
  for (ValueId Each : llvm::SmallVector<ValueId, 6>(D.candidates(Pointer))) {
    if (D.asInt(Each) == 0)
      continue;
    if (D[Each].Kind != ValueKind::Addr)
      return {};
    Parts.push_back(samePart(D, L, Root, D[Each].A));
  }
  return Parts;
}

/// True for the values that objects have of their own, or that lead to other
/// objects.
static bool isOwn(const Domain &D, ValueId V) {
  ValueKind K = D[V].Kind;
  return isHandle(D, V) || K == ValueKind::Addr || K == ValueKind::Memory ||
         K == ValueKind::Exec || K == ValueKind::Graph;
}

ValueId readAny(Domain &D, const State &S, LocId L) {
  llvm::SmallVector<ValueId, 6> Found;
  ValueId Own = None;
  auto Add = [&](ValueId V) {
    ValueKind K = D[V].Kind;
    bool Null = D.asInt(V) == 0;
    if ((!Null && !isOwn(D, V) && K != ValueKind::Init) ||
        K == ValueKind::Phi || (!Null && Own != None && !areAlike(D, V, Own)))
      return false;
    if (!Null)
      Own = V;
    if (!llvm::is_contained(Found, V))
      Found.push_back(V);
    return true;
  };
  for (LocId Part : partsOfAny(D, L)) {
    ValueId V = read(D, S, Part);
    bool Several = D[V].Kind == ValueKind::Phi && !D.overflowed(V);
    if (!llvm::all_of(Several ? llvm::SmallVector<ValueId, 6>(D.candidates(V))
                              : llvm::SmallVector<ValueId, 6>{V},
                      Add))
      return None;
  }
  if (Own == None || Found.size() < 2)
    return Own;
  ValueId Phi = D.value(ValueKind::Phi, SeveralElements, L);
  for (ValueId V : Found)
    D.addCandidate(Phi, V);
  return Phi;
}

/// Returns the name of \p V, which a call creates for each of several objects,
/// in the object that contains \p L.
static ValueId nameAt(Domain &D, ValueId V, LocId L) {
  const ValueNode N = D[V];
  if (isLast(N))
    return D.value(N.Kind, N.N, L, N.B);
  return N.Kind == ValueKind::Memory && !D.isOneObject(V) ? memoryAt(D, N, L)
                                                          : V;
}

void assignSome(Domain &D, State &S, LocId Some, ValueId V) {
  llvm::SmallVector<std::pair<LocId, ValueId>, 4> Set;
  for (const Memory::Item &I : S.Mem)
    if (I.Key != Some && D.asInt(I.Data) && isElementOf(D, I.Key, Some))
      Set.push_back({I.Key, I.Data});
  for (auto [L, Old] : Set) {
    ValueId New = nameAt(D, V, L);
    // Loops create the handles of all elements.
    if (New != Old && !isHandle(D, V)) {
      ValueId Phi = D.value(ValueKind::Phi, SeveralElements, L);
      D.addCandidate(Phi, Old);
      D.addCandidate(Phi, New);
      New = Phi;
    }
    S.Mem.set(L, New);
  }
}

bool assignAny(Domain &D, State &S, LocId L, ValueId V) {
  const auto Parts = partsOfAny(D, L);
  if (Parts.empty())
    return false;
  bool Each = isOwn(D, V) && D[V].Kind != ValueKind::Phi;
  for (LocId Part : Parts) {
    ValueId New = Each ? nameAt(D, V, Part) : V;
    if (New != V)
      S.Gone.erase(keyOfValue(New)); // from an earlier iteration
    std::optional<unsigned> Old = S.Mem.lookup(Part);
    if (!Each && !Old)
      continue;
    // Code that visits the elements of a container usually visits all.
    if (!Each) {
      ValueId Phi = D.value(ValueKind::Phi, SeveralElements, Part);
      D.addCandidate(Phi, *Old);
      D.addCandidate(Phi, New);
      New = Phi;
    }
    S.Mem.set(Part, New);
  }
  if (Each)
    S.Mem.erase(L);
  return Each;
}

ValueId asElement(Domain &D, const State &S, LocId L) {
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
    return D.isOneObject(*V) ? *V : memoryAt(D, Any, L);
  case ValueKind::Function:
  case ValueKind::Closure:
  case ValueKind::Handle:
  case ValueKind::Addr:
    return *V;
  case ValueKind::Phi: {
    bool FromPool = llvm::any_of(D.candidates(*V), [&](ValueId Each) {
      return D[Each].Kind == ValueKind::Memory && D[Each].B == TakenMemory;
    });
    return N.Kind == LocKind::Elem || Any.N == SeveralElements || FromPool
               ? *V
               : None;
  }
  default:
    return N.Kind == LocKind::Elem ? *V : None;
  }
}

} // namespace cudagraph
