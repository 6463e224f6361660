//===- ElementChoice.cpp - The element that a call uses -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ElementChoice.h.
//
//===----------------------------------------------------------------------===//

#include "ElementChoice.h"
#include "analysis/program/ElementLoops.h"

namespace cudagraph {

int64_t ElementChoice::number() const {
  if (Visited)
    return 0;
  uint64_t Number = 1;
  for (int64_t I : Indexes)
    Number = Number * 251 + static_cast<uint64_t>(I) * 2 + 1;
  return static_cast<int64_t>(Number & 0xffff) | 1;
}

namespace {
class Finder {
public:
  explicit Finder(const Domain &D) : D(D) {}

  ElementChoice Found;

  void visit(const Frame &F, ExprId E) {
    if (E == None || ++Looks > MaxLooks || Found.Visited)
      return;
    const FlowGraph &G = *F.Graph;
    const Expr &X = G.Exprs[E];
    // A variable to which the loop copies each element is not an element.
    if (isOfVisitedElement(G, F.Block, E)) {
      Found = {/*Visited=*/true, {}};
      return;
    }
    switch (X.Kind) {
    case ExprKind::Load:
    case ExprKind::AddrOf:
    case ExprKind::Deref:
    case ExprKind::Field:
      return visit(F, X.A);
    case ExprKind::Elem:
    case ExprKind::PtrElem:
      visit(F, X.A);
      return index(F, X.B);
    case ExprKind::Var:
      return variable(F, X.N);
    case ExprKind::This:
      if (F.CallSite && F.Parent)
        visit(*F.Parent, F.CallSite->Object);
      return;
    case ExprKind::Result:
      for (const Block &B : G.Blocks)
        for (const Op &O : B.Ops)
          if (O.Kind == OpKind::Call && O.ResultIndex == X.N) {
            visit(F, O.Object);
            for (const CallArg &Arg : O.Args)
              if (Arg.Sort == CallArg::Scalar)
                index(F, Arg.Value);
            return;
          }
      return;
    default:
      return;
    }
  }

private:
  static constexpr unsigned MaxLooks = 64;

  /// Handles the parameter, or the local variable, \p Var.
  void variable(const Frame &F, int64_t Var) {
    const FlowGraph &G = *F.Graph;
    if (Var < G.NumParams) {
      if (F.CallSite && F.Parent &&
          static_cast<size_t>(Var) < F.CallSite->Args.size())
        visit(*F.Parent, F.CallSite->Args[Var].Value);
      return;
    }
    // A reference, or a copy of the handle.
    ExprId Value = None;
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops)
        if (O.Kind == OpKind::Assign &&
            G.Exprs[O.Place].Kind == ExprKind::Var &&
            G.Exprs[O.Place].N == Var) {
          if (Value != None)
            return;
          Value = O.Value;
        }
    visit(F, Value);
  }

  /// Handles the index \p E.
  void index(const Frame &F, ExprId E) {
    if (E == None || ++Looks > MaxLooks || Found.Visited)
      return;
    const FlowGraph &G = *F.Graph;
    const Expr &X = G.Exprs[E];
    if (X.Kind == ExprKind::Int) {
      Found.Indexes.push_back(X.N);
      return;
    }
    if (isVisitedIndex(G, F.Block, E)) {
      Found = {/*Visited=*/true, {}};
      return;
    }
    if (X.Kind != ExprKind::Load || G.Exprs[X.A].Kind != ExprKind::Var)
      return;
    int64_t Var = G.Exprs[X.A].N;
    if (Var >= G.NumParams || static_cast<size_t>(Var) >= F.Params.size())
      return;
    if (std::optional<int64_t> N = D.asInt(F.Params[Var]))
      Found.Indexes.push_back(*N);
    else if (F.CallSite && F.Parent &&
             static_cast<size_t>(Var) < F.CallSite->Args.size())
      index(*F.Parent, F.CallSite->Args[Var].Value);
  }

  const Domain &D;
  unsigned Looks = 0;
};
} // namespace

ElementChoice choiceOf(const Domain &D, const Frame &F, ExprId E) {
  Finder Each(D);
  Each.visit(F, E);
  return Each.Found;
}

} // namespace cudagraph
