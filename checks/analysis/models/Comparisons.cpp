//===- Comparisons.cpp - Comparisons with copies from a capture -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Comparisons.h.
//
//===----------------------------------------------------------------------===//

#include "Comparisons.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if \p F, a caller for whose parameter \p Value stands, or a function
/// that one of them calls to capture, stores \p Value in \p Place, which is the
/// member or global \p Key.
bool Comparisons::remembers(const Frame &F, llvm::StringRef Key, ExprId Place,
                            ExprId Value) const {
  const FlowGraph &G = *F.Graph;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Assign
              ? O.Place == Place && O.Value == Value
              : !Key.empty() && Shapes.storesArgument(G, O, Value, Key))
        return true;
  const Expr &E = G.Exprs[Value];
  if (Key.empty() || !F.Parent || !F.CallSite || E.Kind != ExprKind::Load ||
      G.Exprs[E.A].Kind != ExprKind::Var)
    return false;
  const CallArg *Given = F.CallSite->arg(G.Exprs[E.A].N);
  return Given && Given->Value != None &&
         remembers(*F.Parent, Key, None, Given->Value);
}

Inputs::Places Comparisons::ifEqual(const Frame &F, ExprId X, ExprId Y,
                                    State &S) {
  if (X == None || Y == None)
    return {};
  const FlowGraph &G = *F.Graph;
  auto Remembers = [&](ExprId Copy, ExprId Of) {
    const ExprKind K = G.Exprs[Copy].Kind;
    bool Contents = K == ExprKind::Load || K == ExprKind::AddrOf;
    ExprId Place = Contents ? G.Exprs[Copy].A : Copy;
    const std::string *Key = writeKey(G, Place);
    return (Key && Shapes.isSetByCaptures(*Key)) ||
           (K == ExprKind::Load && remembers(F, Key ? *Key : "", Place, Of));
  };
  ExprId Now = Remembers(X, Y) ? Y : Remembers(Y, X) ? X : None;
  if (Now == None)
    return {};
  bool Address = G.Exprs[Now].Kind == ExprKind::AddrOf;
  return Inputs(W, Calls).of(F, Now, S,
                             Address ? Inputs::Identity : Inputs::Value);
}

Inputs::Places Comparisons::note(const Frame &F, ExprId Cond, State &S,
                                 Evaluate Eval) {
  if (Cond == None || F.Graph->Exprs[Cond].Kind != ExprKind::Op)
    return {};
  const Expr &E = F.Graph->Exprs[Cond];
  if (E.S != "==" && E.S != "!=") {
    Inputs::Places Same = note(F, E.A, S, Eval);
    Same.append(note(F, E.B, S, Eval));
    return Same;
  }
  ValueId V = Eval(Cond);
  while (D[V].Kind == ValueKind::Op && D[V].B == None)
    V = D[V].A;
  const std::optional<int64_t> Number = D.asInt(V);
  if (Number ? (*Number != 0) != (E.S == "==") : D[V].Kind != ValueKind::Op)
    return {};
  Inputs::Places Same = ifEqual(F, E.A, E.B, S);
  if (Number)
    return Same;
  if (!Same.empty())
    Known[V] = std::move(Same);
  return {};
}

Inputs::Places Comparisons::ifTrue(ValueId Equal) const {
  auto It = Known.find(Equal);
  return It == Known.end() ? Inputs::Places() : It->second;
}

} // namespace cudagraph
