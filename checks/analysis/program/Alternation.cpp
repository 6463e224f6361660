//===- Alternation.cpp - Statements that swap or toggle -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Alternation.h.
//
//===----------------------------------------------------------------------===//

#include "Alternation.h"
#include "llvm/ADT/STLExtras.h"

using namespace cudagraph;

ExprId cudagraph::readAt(const FlowGraph &G, ExprId E) {
  return E != None && G.Exprs[E].Kind == ExprKind::Load ? G.Exprs[E].A : None;
}

bool cudagraph::isSwap(const FlowGraph &G, const Block &B, const Op &O) {
  ExprId Other = readAt(G, O.Value);
  if (O.Kind != OpKind::Assign || Other == None)
    return false;
  auto Copies = [&](ExprId To, ExprId From) {
    return llvm::any_of(B.Ops, [&](const Op &X) {
      return X.Kind == OpKind::Assign && X.Place == To &&
             readAt(G, X.Value) == From;
    });
  };
  if (G.Exprs[Other].Kind != ExprKind::Var)
    return llvm::any_of(B.Ops, [&](const Op &X) {
      return X.Kind == OpKind::Assign && X.Place == Other &&
             readAt(G, X.Value) != None && Copies(readAt(G, X.Value), O.Place);
    });
  return llvm::any_of(B.Ops, [&](const Op &X) {
    ExprId Held = readAt(G, X.Value);
    return X.Kind == OpKind::Assign && X.Place == Other && Held != None &&
           Held != O.Place && Copies(Held, O.Place);
  });
}

bool cudagraph::isTurn(const FlowGraph &G, ExprId E, ExprId Place) {
  const Expr &X = G.Exprs[E];
  auto IsInt = [&](ExprId V, int64_t N) {
    return V != None && G.Exprs[V].Kind == ExprKind::Int && G.Exprs[V].N == N;
  };
  auto IsPlace = [&](ExprId V) { return readAt(G, V) == Place; };
  if (X.Kind == ExprKind::Load)
    return true; // std::swap
  if (X.Kind == ExprKind::Select)
    return true;
  if (X.Kind != ExprKind::Op)
    return false;
  if (X.S == "^" || X.S == "!" || X.S == "~")
    return true;
  if (X.S == "-")
    return X.B != None && IsPlace(X.B) && !IsPlace(X.A);
  if ((X.S == "%" && IsInt(X.B, 2)) || (X.S == "&" && IsInt(X.B, 1)))
    return true;
  if (X.S == "==" || X.S == "!=")
    return true;
  return X.S == "bool" && X.A != None && isTurn(G, X.A, Place);
}

bool cudagraph::isLatch(const FlowGraph &G, ExprId E, ExprId Place) {
  if (E == None)
    return false;
  const Expr &X = G.Exprs[E];
  if (X.Kind != ExprKind::Op || X.S != "&&")
    return false;
  auto Keeps = [&](ExprId V) {
    return V != None && (readAt(G, V) == Place || isLatch(G, V, Place));
  };
  return Keeps(X.A) || Keeps(X.B);
}

bool cudagraph::isNext(const FlowGraph &G, ExprId E, ExprId Place) {
  if (E == None || G.Exprs[E].Kind != ExprKind::Load)
    return false;
  ExprId P = G.Exprs[E].A;
  while (G.Exprs[P].Kind == ExprKind::Field ||
         G.Exprs[P].Kind == ExprKind::Elem)
    P = G.Exprs[P].A;
  return G.Exprs[P].Kind == ExprKind::Deref && readAt(G, G.Exprs[P].A) == Place;
}
