//===- PathSearch.cpp - Paths on which local flags are known --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PathSearch.h.
//
//===----------------------------------------------------------------------===//

#include "PathSearch.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>
#include <tuple>
#include <vector>

namespace cudagraph {

std::optional<int64_t> fold(const FlowGraph &G, ExprId Id,
                            const KnownNumbers &Known) {
  if (Id == None)
    return std::nullopt;
  const Expr &E = G.Exprs[Id];
  auto Find = [&](int64_t Key) -> std::optional<int64_t> {
    auto It = Known.find(Key);
    return It == Known.end() ? std::nullopt : std::optional(It->second);
  };
  switch (E.Kind) {
  case ExprKind::Int:
    return E.N;
  case ExprKind::Load:
    return Find(G.Exprs[E.A].Kind == ExprKind::Var ? G.Exprs[E.A].N
                                                   : placeKey(E.A));
  case ExprKind::Result:
    return Find(resultKey(E.N));
  case ExprKind::Op:
    break;
  default:
    return std::nullopt;
  }
  std::optional<int64_t> A = fold(G, E.A, Known), B = fold(G, E.B, Known);
  if (E.B == None)
    return A && (E.S == "!" || E.S == "bool")
               ? std::optional<int64_t>((*A != 0) != (E.S == "!"))
               : std::nullopt;
  bool And = E.S == "&&" || E.S == "&", Or = E.S == "||";
  if (And && ((A && !*A) || (B && !*B)))
    return 0;
  if (Or && ((A && *A) || (B && *B)))
    return 1;
  if (!A || !B)
    return std::nullopt;
  int64_t X = *A, Y = *B;
  return llvm::StringSwitch<std::optional<int64_t>>(E.S)
      .Case("&&", X && Y)
      .Case("||", X || Y)
      .Case("&", X & Y)
      .Case("|", X | Y)
      .Case("==", X == Y)
      .Case("!=", X != Y)
      .Case("<", X < Y)
      .Case(">", X > Y)
      .Case("<=", X <= Y)
      .Case(">=", X >= Y)
      .Default(std::nullopt);
}

/// The variable whose address \p A passes, which the callee may set.
static std::optional<int64_t> passed(const FlowGraph &G, const CallArg &A) {
  if (!A.Written || A.Value == None ||
      G.Exprs[A.Value].Kind != ExprKind::AddrOf ||
      G.Exprs[G.Exprs[A.Value].A].Kind != ExprKind::Var)
    return std::nullopt;
  return G.Exprs[G.Exprs[A.Value].A].N;
}

bool visitPaths(const FlowGraph &G, unsigned From, size_t Index,
                KnownNumbers Known, const PathVisitor &Visit) {
  constexpr unsigned MaxStops = 2000;
  using Stop = std::tuple<unsigned, KnownNumbers, int>;
  std::set<Stop> Seen;
  std::vector<Stop> Work{{From, std::move(Known), 0}};
  bool First = true;
  while (!Work.empty()) {
    auto [At, Now, Mark] = std::move(Work.back());
    Work.pop_back();
    const Block &B = G.Blocks[At];
    bool Left = false;
    for (size_t I = First ? Index : 0; I < B.Ops.size() && !Left; ++I) {
      const Op &O = B.Ops[I];
      bool Writes = O.Kind == OpKind::Assign || O.Kind == OpKind::Modify;
      if (Writes && O.Place != None && G.Exprs[O.Place].Kind == ExprKind::Var) {
        Left = !Visit.Sets(O);
        std::optional<int64_t> Value = fold(G, O.Value, Now);
        Now.erase(G.Exprs[O.Place].N);
        if (Value)
          Now[G.Exprs[O.Place].N] = *Value;
      }
      for (const CallArg &A : O.Args)
        if (std::optional<int64_t> Var = passed(G, A))
          Now.erase(*Var);
    }
    First = false;
    std::optional<int64_t> Taken =
        B.Cond == None || Left ? std::nullopt : fold(G, B.Cond, Now);
    for (const Edge &E : B.Succs) {
      bool IsBranch = E.When == EdgeKind::True || E.When == EdgeKind::False;
      if (Left ||
          (Taken && IsBranch && (*Taken != 0) != (E.When == EdgeKind::True)))
        continue;
      std::optional<int> Next = Visit.Takes(At, E, Mark);
      if (!Next)
        continue;
      Stop To{E.To, Now, *Next};
      // A branch on a flag determines the flag.
      if (IsBranch && B.Cond != None &&
          G.Exprs[B.Cond].Kind == ExprKind::Load &&
          G.Exprs[G.Exprs[B.Cond].A].Kind == ExprKind::Var &&
          E.When == EdgeKind::False)
        std::get<1>(To)[G.Exprs[G.Exprs[B.Cond].A].N] = 0;
      if (Seen.insert(To).second)
        Work.push_back(std::move(To));
      if (Seen.size() > MaxStops)
        return false;
    }
  }
  return true;
}

} // namespace cudagraph
