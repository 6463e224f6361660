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

void assignMark(Domain &D, State &S, LocId L, ValueId V) {
  if (isMark(D, L, KnownKeys)) {
    forgetElements(D, S, markedTable(D, L));
    S.Mem.set(L, V);
    return;
  }
  LocId Element = D.at(L).A;
  bool Null = D.asInt(V) == static_cast<int64_t>(KeyMark::AddedNull);
  if (Null && hasKey(D, S, Element) == false)
    S.Mem.set(Element, D.integer(0));
  S.Mem.set(
      L,
      D.integer(D.asInt(V) == static_cast<int64_t>(KeyMark::Erased) ? 0 : 1));
}

std::optional<bool> hasKey(Domain &D, const State &S, LocId L) {
  auto IsConstant = [&](LocId Element) {
    const LocNode N = D.at(Element);
    return N.Kind == LocKind::Elem && N.B != None && D.asInt(N.B);
  };
  if (!IsConstant(L))
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
        !IsConstant(D.at(I.Key).A))
      return std::nullopt; // it may have this key
  return false;
}

void forgetKeys(Domain &D, State &S) {
  S.Mem.eraseIf([&](const Memory::Item &I) { return isTableMark(D, I.Key); });
}

} // namespace cudagraph
