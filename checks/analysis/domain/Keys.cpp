//===- Keys.cpp - Keys that a table has -----------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Keys.h.
//
//===----------------------------------------------------------------------===//

#include "Keys.h"
#include "Memory.h"
#include "analysis/ir/TableMarks.h"

namespace cudagraph {

static bool isMark(const Domain &D, LocId L, llvm::StringRef Name) {
  return D.at(L).Kind == LocKind::Field && D.text(D.at(L).S) == Name;
}

/// The mark \p Name of \p Of, a table or an element.
static LocId markOf(Domain &D, LocId Of, llvm::StringRef Name) {
  return D.loc(LocKind::Field, 0, Of, None, Name);
}

bool isTableMark(const Domain &D, LocId L) {
  return isMark(D, L, HasKey) || isMark(D, L, KnownKeys);
}

LocId markedTable(const Domain &D, LocId L) {
  if (isMark(D, L, KnownKeys))
    return D.at(L).A;
  if (!isMark(D, L, HasKey))
    return L;
  LocId Element = D.at(L).A;
  return D.at(Element).Kind == LocKind::Elem ? D.at(Element).A : Element;
}

/// Removes the marks of the elements of \p Table.
static void forgetElements(const Domain &D, State &S, LocId Table) {
  S.Mem.eraseIf([&](const Memory::Item &I) {
    return isMark(D, I.Key, HasKey) && markedTable(D, I.Key) == Table;
  });
}

/// True if \p L is an element with a constant key.
static bool isConstant(const Domain &D, LocId L) {
  const LocNode N = D.at(L);
  return N.Kind == LocKind::Elem && N.B != None && D.asInt(N.B);
}

void assignMark(Domain &D, State &S, LocId L, ValueId V) {
  if (isMark(D, L, KnownKeys)) {
    forgetElements(D, S, markedTable(D, L));
    S.Mem.set(L, V);
    return;
  }
  LocId Element = D.at(L).A;
  const bool Erased = D.asInt(V) == static_cast<int64_t>(KeyMark::Erased);
  if (Erased && !isConstant(D, Element)) { // it may have been any element
    LocId Table = markedTable(D, L);
    forgetElements(D, S, Table);
    S.Mem.set(markOf(D, Table, KnownKeys), D.integer(0));
    return;
  }
  bool Null = D.asInt(V) == static_cast<int64_t>(KeyMark::AddedNull);
  if (Null && hasKey(D, S, Element) == false)
    S.Mem.set(Element, D.integer(0));
  S.Mem.set(L, D.integer(Erased ? 0 : 1));
}

std::optional<bool> hasKey(Domain &D, const State &S, LocId L) {
  // One place may stand for the tables of several objects.
  if (!isConstant(D, L) || isOfSomeElement(D, D.at(L).A))
    return std::nullopt;
  LocId Table = D.at(L).A;
  std::optional<unsigned> Known = S.Mem.lookup(markOf(D, Table, KnownKeys));
  if (!Known || D.asInt(*Known) != 1)
    return std::nullopt;
  if (std::optional<unsigned> Mark = S.Mem.lookup(markOf(D, L, HasKey))) {
    std::optional<int64_t> N = D.asInt(*Mark);
    return N ? std::optional(*N != 0) : std::nullopt;
  }
  for (const Memory::Item &I : S.Mem)
    if (isMark(D, I.Key, HasKey) && markedTable(D, I.Key) == Table &&
        !isConstant(D, D.at(I.Key).A))
      return std::nullopt; // it may have this key
  return false;
}

void forgetKeys(Domain &D, State &S) {
  S.Mem.eraseIf(
      [&](const Memory::Item &I) { return isMark(D, I.Key, HasKey); });
  for (const Memory::Item &I : Memory(S.Mem))
    if (isMark(D, I.Key, KnownKeys))
      S.Mem.set(I.Key, D.integer(0)); // not erased: see Joiner::content()
}

} // namespace cudagraph
