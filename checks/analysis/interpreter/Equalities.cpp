//===- Equalities.cpp - Equalities that a branch has shown ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A branch on a comparison with the value that a graph retains shows, on one
// edge, that the value has not changed.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

namespace cudagraph {

/// Restricts \p S to the paths on which the condition \p Cond of \p F is \p
/// Truth.
void Interpreter::noteEqual(const Frame &F, ExprId Cond, bool Truth, State &S) {
  const FlowGraph &G = *F.Graph;
  while (G.Exprs[Cond].Kind == ExprKind::Op &&
         (G.Exprs[Cond].S == "!" || G.Exprs[Cond].S == "bool")) {
    Truth ^= G.Exprs[Cond].S == "!";
    Cond = G.Exprs[Cond].A;
  }
  const Expr &X = G.Exprs[Cond];
  if (X.Kind == ExprKind::Op && X.S == (Truth ? "&&" : "||")) {
    noteEqual(F, X.A, Truth, S);
    noteEqual(F, X.B, Truth, S);
  } else if (X.Kind == ExprKind::Op && (X.S == "&&" || X.S == "||") &&
             truth(D, S, Calls.Values.eval(F, X.A, S)) == !Truth) {
    noteEqual(F, X.B, Truth, S); // the first term has not decided
  }
  if (X.Kind == ExprKind::Op && X.S == (Truth ? "==" : "!="))
    Calls.Models.Changes.Equal.noteEqual(F, S, X.A, X.B);
  if (X.Kind == ExprKind::Result)
    Calls.Models.Changes.Equal.noteEqualObjects(F, S, X.N, Truth);
}

/// Restricts \p S to the paths on which the value \p Cond, which a callee may
/// have computed, is \p Truth.
void Interpreter::noteSame(ValueId Cond, bool Truth, State &S, unsigned Depth) {
  while (D[Cond].Kind == ValueKind::Op &&
         (D.text(D[Cond].S) == "!" || D.text(D[Cond].S) == "bool")) {
    Truth ^= D.text(D[Cond].S) == "!";
    Cond = D[Cond].A;
  }
  const ValueNode N = D[Cond];
  ChangeModel &Changes = Calls.Models.Changes;
  if (N.Kind == ValueKind::Phi)
    Changes.Equal.noteDecided(S, candidatesThatAre(D, S, Cond, Truth));
  if (N.Kind == ValueKind::Op && D.text(N.S) == (Truth ? "&&" : "||") &&
      Depth < 6)
    for (ValueId Part : {N.A, N.B})
      noteSame(Part, Truth, S, Depth + 1);
  if (Depth > 0) // a part: only a comparison with a copy matters
    return Changes.Equal.noteDecided(S, Truth ? Cond : None);
  if (N.Kind == ValueKind::Op && D.text(N.S) == (Truth ? "==" : "!=")) {
    Changes.Equal.noteSame(S, N.A, N.B);
    Changes.Equal.noteDecided(S, Cond);
    if (D.asInt(N.B) == 0)
      Changes.noteNull(S, N.A);
  } else if (!Truth) {
    Changes.noteNull(S, Cond);
  }
}

} // namespace cudagraph
