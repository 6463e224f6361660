//===- MemberPath.cpp - The path from an object to its part ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MemberPath.h.
//
//===----------------------------------------------------------------------===//

#include "MemberPath.h"
#include <algorithm>

namespace cudagraph {

MemberPath stepsOf(const FlowGraph &G, ExprId &P) {
  MemberPath Path;
  for (;; P = G.Exprs[P].A) {
    const Expr &E = G.Exprs[P];
    if (E.Kind == ExprKind::Field) {
      Path.push_back({E.S});
    } else if (E.Kind == ExprKind::Elem) {
      bool Known = E.B != None && G.Exprs[E.B].Kind == ExprKind::Int;
      Path.push_back({"", !Known, Known ? G.Exprs[E.B].N : 0});
    } else {
      break;
    }
  }
  std::reverse(Path.begin(), Path.end());
  return Path;
}

MemberPath stepsOf(const Domain &D, LocId L) {
  MemberPath Path;
  for (;; L = D.at(L).A) {
    const LocNode N = D.at(L);
    if (N.Kind == LocKind::Field) {
      Path.push_back({D.text(N.S)});
    } else if (N.Kind == LocKind::Elem) {
      std::optional<int64_t> I =
          N.B == None ? std::nullopt : D.asInt(static_cast<ValueId>(N.B));
      Path.push_back({"", !I, I.value_or(0)});
    } else {
      break;
    }
  }
  std::reverse(Path.begin(), Path.end());
  return Path;
}

std::optional<LocId> samePartOf(Domain &D, LocId L, LocId From, LocId To) {
  if (L == From)
    return To;
  const LocNode N = D.at(L);
  if (N.Kind != LocKind::Field && N.Kind != LocKind::Elem)
    return std::nullopt;
  std::optional<LocId> Whole = samePartOf(D, N.A, From, To);
  if (!Whole)
    return std::nullopt;
  return D.loc(N.Kind, N.N, *Whole, N.B, D.text(N.S));
}

LocId partOf(Domain &D, LocId L, llvm::ArrayRef<MemberStep> Path) {
  for (const MemberStep &Each : Path) {
    if (Each.Member.empty())
      break;
    L = D.loc(LocKind::Field, 0, L, None, Each.Member);
  }
  return L;
}

std::optional<MemberPath> restOf(llvm::ArrayRef<MemberStep> Read,
                                 llvm::ArrayRef<MemberStep> Written) {
  for (size_t I = 0; I < Read.size() && I < Written.size(); ++I)
    if (!Read[I].mayBe(Written[I]))
      return std::nullopt;
  if (Written.size() >= Read.size())
    return MemberPath();
  llvm::ArrayRef<MemberStep> Rest = Read.drop_front(Written.size());
  return MemberPath(Rest.begin(), Rest.end());
}

std::optional<unsigned> elementOf(llvm::ArrayRef<MemberStep> Path) {
  if (Path.empty() || !Path.front().Member.empty() || Path.front().Any)
    return std::nullopt;
  return static_cast<unsigned>(Path.front().Index);
}

unsigned numberOf(llvm::ArrayRef<MemberStep> Path) {
  if (Path.empty())
    return 0;
  llvm::hash_code Hash = llvm::hash_value(Path.size());
  for (const MemberStep &Each : Path)
    Hash = llvm::hash_combine(Hash, Each.Member, Each.Any, Each.Index);
  return static_cast<unsigned>(static_cast<size_t>(Hash)) | 1;
}

} // namespace cudagraph
