//===- ExprBuilder.cpp - The expressions of a flow graph ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExprBuilder.h"
#include <algorithm>

namespace cudagraph {

ExprId ExprBuilder::make(Expr E) {
  // Generated code has sums of thousands of terms, and tables of similar size.
  Size Own{1, 1};
  for (ExprId Part : {E.A, E.B, E.C})
    if (Part != None) {
      Own.Depth = std::max(Own.Depth, Sizes[Part].Depth + 1);
      Own.Nodes += Sizes[Part].Nodes;
    }
  if (Own.Depth > MaxExprDepth || Own.Nodes > MaxExprSize)
    return unknown();
  auto [It, New] = Interned.try_emplace(
      std::tuple(static_cast<unsigned>(E.Kind), E.A, E.B, E.C, E.N, E.S),
      Exprs.size());
  if (New) {
    Exprs.push_back(std::move(E));
    Sizes.push_back(Own);
  }
  return It->second;
}

ExprId ExprBuilder::unknown() {
  return make({ExprKind::Unknown, None, None, None, NumUnknown++, {}});
}

ExprId ExprBuilder::integer(int64_t N) {
  return make({ExprKind::Int, None, None, None, N, {}});
}

ExprId ExprBuilder::number(const llvm::APSInt &N) {
  if (std::optional<int64_t> Small = N.tryExtValue())
    return integer(*Small);
  if (N.getBitWidth() > 128)
    return unknown();
  llvm::APInt Bits = N.extend(128);
  auto Half = [&](unsigned From) {
    return integer(static_cast<int64_t>(Bits.extractBitsAsZExtValue(64, From)));
  };
  return binary("wide", Half(0), Half(64));
}

ExprId ExprBuilder::load(ExprId Place) {
  const Expr &P = Exprs[Place];
  if (P.Kind == ExprKind::Deref && Exprs[P.A].Kind == ExprKind::Unknown)
    return P.A;
  // `c ? a : b` is one of two objects: its value is that of `a` or of `b`.
  if (P.Kind == ExprKind::Deref && Exprs[P.A].Kind == ExprKind::Select) {
    const Expr Choice = Exprs[P.A];
    ExprId True = load(deref(Choice.B)), False = load(deref(Choice.C));
    return select(Choice.A, True, False);
  }
  return make({ExprKind::Load, Place, None, None, 0, {}});
}

ExprId ExprBuilder::addrOf(ExprId Place) {
  if (Exprs[Place].Kind == ExprKind::Deref)
    return Exprs[Place].A;
  return make({ExprKind::AddrOf, Place, None, None, 0, {}});
}

ExprId ExprBuilder::self() {
  return make({ExprKind::This, None, None, None, 0, {}});
}

ExprId ExprBuilder::function(FunctionId F) {
  return make({ExprKind::Function, None, None, None, F, {}});
}

ExprId ExprBuilder::closure(ExprId Captures, FunctionId CallOperator) {
  return make({ExprKind::Closure,
               Captures,
               None,
               None,
               static_cast<int64_t>(CallOperator),
               {}});
}

ExprId ExprBuilder::result(unsigned Call) {
  return make(
      {ExprKind::Result, None, None, None, static_cast<int64_t>(Call), {}});
}

ExprId ExprBuilder::unary(std::string Op, ExprId A) {
  return binary(std::move(Op), A, None);
}

ExprId ExprBuilder::binary(std::string Op, ExprId A, ExprId B) {
  return make({ExprKind::Op, A, B, None, 0, std::move(Op)});
}

ExprId ExprBuilder::select(ExprId Cond, ExprId True, ExprId False) {
  return make({ExprKind::Select, Cond, True, False, 0, {}});
}

ExprId ExprBuilder::variable(unsigned Number) {
  return make({ExprKind::Var, None, None, None, Number, {}});
}

ExprId ExprBuilder::global(std::string Name) {
  return make({ExprKind::Global, None, None, None, 0, std::move(Name)});
}

ExprId ExprBuilder::deref(ExprId Value) {
  if (Exprs[Value].Kind == ExprKind::AddrOf)
    return Exprs[Value].A;
  return make({ExprKind::Deref, Value, None, None, 0, {}});
}

ExprId ExprBuilder::field(ExprId Place, std::string Name) {
  return make({ExprKind::Field, Place, None, None, 0, std::move(Name)});
}

ExprId ExprBuilder::element(ExprId Place, ExprId Index, bool Within) {
  return make({ExprKind::Elem, Place, Index, None, Within, {}});
}

ExprId ExprBuilder::pointerElement(ExprId Pointer, ExprId Index) {
  return make({ExprKind::PtrElem, Pointer, Index, None, 0, {}});
}

ExprId ExprBuilder::temporary(const void *Site, bool OnHeap) {
  unsigned N = Temporaries.try_emplace(Site, Temporaries.size()).first->second;
  return make({ExprKind::Temp, None, None, None, N, OnHeap ? "heap" : ""});
}

bool ExprBuilder::isConstant(ExprId Value) const {
  const Expr &E = Exprs[Value];
  switch (E.Kind) {
  case ExprKind::Int:
  case ExprKind::Function:
    return true;
  case ExprKind::Op:
    return isConstant(E.A) && (E.B == None || isConstant(E.B));
  case ExprKind::Select:
    return isConstant(E.B) && isConstant(E.C);
  default:
    return false;
  }
}

bool ExprBuilder::isComputedFrom(ExprId Whole, ExprId Part) const {
  if (Whole == None)
    return false;
  const Expr &E = Exprs[Whole];
  return E.Kind == ExprKind::Op &&
         (E.A == Part || E.B == Part || isComputedFrom(E.A, Part) ||
          isComputedFrom(E.B, Part));
}

} // namespace cudagraph
