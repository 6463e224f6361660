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

#include "Elements.h"
#include "analysis/ir/Tuples.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace cudagraph {

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

bool isOneOfCopies(const Domain &D, ValueId V) {
  return D[V].Kind == ValueKind::Phi && !D.overflowed(V) &&
         !D.candidates(V).empty() &&
         llvm::all_of(D.candidates(V), [&](ValueId Each) {
           return D[Each].Kind == ValueKind::CopyOf;
         });
}

/// True if the object at \p L, a copy \p V of another object, has parts that
/// were written or copied, or if it is a container that was created from a list
/// \p V and has elements.
static bool hasOwnParts(const Domain &D, const State &S, LocId L, ValueId V) {
  LocKind K = D.at(L).Kind;
  const ValueNode N = D[V];
  bool Copy = (N.Kind == ValueKind::CopyOf && N.A != L) || isOneOfCopies(D, V);
  bool List = N.Kind == ValueKind::Op && D.text(N.S) == "aggregate";
  return (Copy || List) && (K == LocKind::Var || K == LocKind::Temp) &&
         llvm::any_of(S.Mem, [&](const Memory::Item &I) {
           LocKind Part = D.at(I.Key).Kind;
           return (Part == LocKind::Elem || (Copy && Part == LocKind::Field)) &&
                  D.root(I.Key) == L;
         });
}

/// The maximum number of copies that are followed: two objects that were
/// swapped may be copies of each other.
static constexpr unsigned MaxCopies = 16;

/// Reads \p L, which is a part of copy number \p Copies of an object.
static ValueId readCopy(Domain &D, const State &S, LocId L, unsigned Copies) {
  if (Copies > MaxCopies)
    return defaultContents(D, L);
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
      W = readCopy(D, S, N.A, Copies + 1);
    if (W != None) {
      const ValueNode V = D[W];
      if ((V.Kind == ValueKind::CopyOf || V.Kind == ValueKind::Closure ||
           V.Kind == ValueKind::Init) &&
          V.A != N.A) {
        LocId Source = D.loc(N.Kind, N.N, V.A, N.B, D.text(N.S));
        return readCopy(D, S, Source, Copies + 1);
      }
      if (V.Kind == ValueKind::Op && D.text(V.S) == "aggregate")
        return W; // created from these values; their order is unknown
      // All of it was set to zero, and perhaps elements to other values later.
      if (D.asInt(W) == 0)
        return isOfSomeElement(D, L) ? eachContents(D, S, L, W) : W;
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

ValueId read(Domain &D, const State &S, LocId L) {
  return readCopy(D, S, L, 0);
}

/// Stores \p V in \p L. An unspecified element keeps its other possible
/// contents. \p Adds: L is a part of a whole object that is stored; other
/// elements keep their numbers. Other code usually sets a member of all
/// elements.
static void put(Domain &D, State &S, LocId L, ValueId V, bool Adds = false) {
  std::optional<unsigned> Old =
      isOfSomeElement(D, L) ? S.Mem.lookup(L) : std::nullopt;
  if (Old && isLast(D[V]))
    if (ValueId Own = D.value(D[V].Kind, D[V].N, L, D[V].B);
        *Old == Own || (D[*Old].Kind == ValueKind::Phi &&
                        llvm::is_contained(D.candidates(*Old), Own)))
      V = Own; // one of those that a loop creates
  if (Old && *Old != V &&
      (D.at(L).Kind == LocKind::Elem || (isHandle(D, V) && isHandle(D, *Old)) ||
       (Adds && (D.asInt(V) || D.asInt(*Old))))) {
    ValueId Phi = D.value(ValueKind::Phi, SeveralElements, L);
    D.addCandidate(Phi, *Old);
    D.addCandidate(Phi, V);
    V = Phi;
  } else if (Adds && !Old && D.asInt(V) && isOfSomeElement(D, L))
    V = eachContents(D, S, L, V);
  if (isOfSomeElement(D, L))
    assignSome(D, S, L, V);
  S.Mem.set(L, V);
}

/// The part of \p To that \p L is of \p From; None if \p L is not a part of it.
static LocId copiedPart(Domain &D, LocId L, LocId From, LocId To) {
  LocId P = L;
  while (P != From &&
         (D.at(P).Kind == LocKind::Field || D.at(P).Kind == LocKind::Elem))
    P = D.at(P).A;
  return P != From || L == From ? None : samePart(D, L, From, To);
}

/// Copies the members of the objects \p Several, one of which a conditional
/// expression selects, to \p L. A member with different contents has one of
/// them.
static void copyOneOf(Domain &D, State &S, LocId L, ValueId Several) {
  llvm::SmallVector<LocId, 4> Objects;
  std::set<LocId> Members;
  for (ValueId Each : D.candidates(Several)) {
    LocId From = D[Each].A;
    bool Created = false;
    for (const Memory::Item &I : S.Mem)
      if (LocId At = copiedPart(D, I.Key, From, L); At != None) {
        Members.insert(At);
        Created = true;
      }
    // Only one of two temporaries is created on each path.
    LocKind K = D.at(From).Kind;
    if (Created || (K != LocKind::Temp && K != LocKind::Result))
      Objects.push_back(From);
  }
  std::vector<std::pair<LocId, ValueId>> Contents;
  for (LocId At : Members) {
    ValueId One = None;
    for (LocId From : Objects) {
      ValueId V = read(D, S, samePart(D, At, L, From));
      if (One == None || One == V) {
        One = V;
        continue;
      }
      ValueId Phi = D.value(ValueKind::Phi, D[Several].N, At);
      D.addCandidate(Phi, One);
      D.addCandidate(Phi, V);
      One = Phi;
    }
    Contents.push_back({At, One});
  }
  for (auto [At, V] : Contents)
    put(D, S, At, V);
}

void assign(Domain &D, State &S, LocId L, ValueId V) {
  if (D[V].Kind == ValueKind::CopyOf && D[V].A == L)
    return; // the object itself
  const LocNode N = D.at(L);
  bool Several =
      isOneOfCopies(D, V) && llvm::none_of(D.candidates(V), [&](ValueId Each) {
        return D.root(D[Each].A) == D.root(L);
      });
  if (N.Kind != LocKind::Elem || N.B != None) {
    // A whole object: the new value determines its members.
    ValueKind K = D[V].Kind;
    if (K == ValueKind::CopyOf || K == ValueKind::Init || Several ||
        K == ValueKind::DeviceRead || D.asInt(V) == 0 ||
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
    LocId From = D[V].A;
    copyMembers(D, S, From, L);
    // The other parts are still those of the original.
    if (std::optional<unsigned> Whole = S.Mem.lookup(From);
        Whole && D[*Whole].Kind == ValueKind::CopyOf && D[*Whole].A != L)
      V = *Whole;
  }
  if (Several)
    copyOneOf(D, S, L, V);
  if (!assignAny(D, S, L, V))
    put(D, S, L, V);
}

void clear(Domain &D, State &S, LocId L, ValueId V) {
  for (LocId Part : partsOfAny(D, L))
    clear(D, S, Part, V);
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

/// True if \p V is, or may be, a handle or memory that the program created.
static bool isCreated(const Domain &D, ValueId V) {
  auto Is = [&](ValueId Each) {
    ValueKind K = D[Each].Kind;
    return K == ValueKind::Stream || K == ValueKind::Event ||
           K == ValueKind::Handle || K == ValueKind::Memory ||
           K == ValueKind::Graph || K == ValueKind::Exec;
  };
  return Is(V) || llvm::any_of(D.candidates(V), Is);
}

void copyMembers(Domain &D, State &S, LocId From, LocId To) {
  copyMembers(D, S.Mem, From, S, To);
}

void copyMembers(Domain &D, const Memory &Source, LocId From, State &S,
                 LocId To) {
  std::vector<std::pair<LocId, ValueId>> Copies;
  for (const Memory::Item &I : Source) {
    if (LocId At = copiedPart(D, I.Key, From, To); At != None)
      Copies.push_back({At, I.Data});
  }
  for (auto [L, V] : Copies) {
    // One of several elements is new: the others keep their graphs and memory.
    if (D.asInt(V) == 0 && isOfSomeElement(D, L))
      if (std::optional<unsigned> Old = S.Mem.lookup(L);
          Old && isCreated(D, *Old))
        continue;
    put(D, S, L, V, /*Adds=*/true);
  }
}

} // namespace cudagraph
