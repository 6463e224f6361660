//===- Evaluator.cpp - Expressions in a state -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Evaluator.h.
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "analysis/domain/Keys.h"
#include "analysis/ir/ListSize.h"
#include "analysis/ir/TableMarks.h"

namespace cudagraph {

ValueId Evaluator::eval(const Frame &F, ExprId Id, State &S) {
  if (Id == None)
    return D.opaque(Domain::site(F.Function, 0, 7));
  const Expr &E = F.Graph->Exprs[Id];
  switch (E.Kind) {
  case ExprKind::Unknown:
    return D.opaque(Domain::site(F.Function, E.N, 1));
  case ExprKind::Int:
    return D.integer(E.N);
  case ExprKind::Load: {
    LocId L = evalPlace(F, E.A, S);
    // The variables of callers are not part of the state of a callee.
    if (const Expr &Var = F.Graph->Exprs[E.A];
        Var.Kind == ExprKind::Var &&
        static_cast<size_t>(Var.N) < F.Params.size() && !S.Mem.contains(L))
      return F.Params[Var.N];
    return read(D, S, L);
  }
  case ExprKind::AddrOf:
    return D.value(ValueKind::Addr, 0, evalPlace(F, E.A, S));
  case ExprKind::This:
    return F.This == None ? D.opaque(Domain::site(F.Function, 0, 6)) : F.This;
  case ExprKind::Function:
    return D.value(ValueKind::Function, E.N);
  case ExprKind::Closure:
    return D.value(ValueKind::Closure, E.N, evalPlace(F, E.A, S));
  case ExprKind::Result: {
    LocId L = D.loc(LocKind::Result, E.N, F.Function);
    if (std::optional<unsigned> V = S.Mem.lookup(L))
      return *V;
    return D.opaque(Domain::site(F.Function, E.N, 2));
  }
  case ExprKind::Op: {
    ValueId A = eval(F, E.A, S);
    ValueId B = E.B == None ? None : eval(F, E.B, S);
    if (E.S == LastOwnerOp)
      return Sharing.isLast(F, S, A, D.pointee(B)) == Owners::Last::No
                 ? D.integer(0)
                 : A;
    if (E.S == NewKeyOp) {
      std::optional<bool> Has =
          D[A].Kind == ValueKind::Addr ? hasKey(D, S, D[A].A) : std::nullopt;
      return Has ? D.integer(!*Has)
                 : D.opaque(Domain::site(F.Function, Id, 15));
    }
    // Pointer arithmetic moves to an unspecified neighboring element.
    if ((E.S == "+" || E.S == "-") && D[A].Kind == ValueKind::Addr)
      return D.value(ValueKind::Addr, 0,
                     D.element(D[A].A, B, /*IsPointer=*/true));
    return D.apply(E.S, A, B);
  }
  case ExprKind::Select: {
    ValueId C = eval(F, E.A, S);
    if (std::optional<bool> T = truth(D, S, C))
      return eval(F, *T ? E.B : E.C, S);
    ValueId A = eval(F, E.B, S), B = eval(F, E.C, S);
    if (A == B)
      return A;
    ValueId Phi = D.value(ValueKind::Phi,
                          Domain::site(F.Function, Id, Domain::SelectTag), C);
    D.addCandidate(Phi, A);
    D.addCandidate(Phi, B);
    return Phi;
  }
  default:
    return read(D, S, evalPlace(F, Id, S));
  }
}

bool Evaluator::isPerhapsOwned(const Frame &F, ExprId Object, State &S) {
  for (ExprId Id = Object; Id != None; Id = F.Graph->Exprs[Id].A) {
    const Expr &E = F.Graph->Exprs[Id];
    if (E.Kind == ExprKind::Op && E.S == LastOwnerOp &&
        Sharing.isLast(F, S, eval(F, E.A, S), D.pointee(eval(F, E.B, S))) ==
            Owners::Last::Perhaps)
      return true;
    bool Within = E.Kind == ExprKind::Field || E.Kind == ExprKind::Elem ||
                  E.Kind == ExprKind::Deref || E.Kind == ExprKind::Load ||
                  (E.Kind == ExprKind::Op && E.S == LastOwnerOp);
    if (!Within)
      return false;
  }
  return false;
}

/// Reads the contents of the constant table \p Name at \p Global.
void Evaluator::noteTable(LocId Global, llvm::StringRef Name) {
  if (!Met.insert(Global).second)
    return;
  const GraphShapes::Rows *Rows = Shapes.rowsOf(Name);
  if (!Rows)
    return;
  const FlowGraph &G = *Rows->Graph;
  for (unsigned I : Rows->Ops) {
    const Op &O = G.Blocks.front().Ops[I];
    llvm::SmallVector<ExprId, 4> Places;
    for (ExprId P = O.Place; G.Exprs[P].Kind != ExprKind::Global;
         P = G.Exprs[P].A)
      Places.push_back(P);
    LocId At = Global;
    for (ExprId P : llvm::reverse(Places)) {
      const Expr &Part = G.Exprs[P];
      At = Part.Kind == ExprKind::Field
               ? D.loc(LocKind::Field, 0, At, None, Part.S)
               : D.element(At, D.integer(G.Exprs[Part.B].N), false);
    }
    const Expr &Value = G.Exprs[O.Value];
    D.Constants[At] = Value.Kind == ExprKind::Int
                          ? D.integer(Value.N)
                          : D.value(ValueKind::Function, Value.N);
  }
}

/// True for the number of elements of a list, and for the number of the last
/// one.
static bool isListSize(const FlowGraph &G, ExprId Id) {
  if (G.Exprs[Id].Kind == ExprKind::Op)
    Id = G.Exprs[Id].A;
  return Id != None && G.Exprs[Id].Kind == ExprKind::Load &&
         G.Exprs[G.Exprs[Id].A].Kind == ExprKind::Field &&
         G.Exprs[G.Exprs[Id].A].S == ListSize;
}

LocId Evaluator::evalPlace(const Frame &F, ExprId Id, State &S) {
  const Expr &E = F.Graph->Exprs[Id];
  switch (E.Kind) {
  case ExprKind::Var:
    return D.loc(LocKind::Var, E.N, F.Function);
  case ExprKind::Global: {
    LocId Global = D.loc(LocKind::Global, 0, None, None, E.S);
    noteTable(Global, E.S);
    return Global;
  }
  case ExprKind::Deref:
    return D.pointee(eval(F, E.A, S));
  case ExprKind::Field:
    return D.loc(LocKind::Field, 0, evalPlace(F, E.A, S), None, E.S);
  case ExprKind::Elem: {
    ValueId Index = eval(F, E.B, S);
    // The index may select one of several graphs.
    if (S.Active.empty() && D[Index].Kind != ValueKind::Int &&
        D[Index].Kind != ValueKind::Opaque && !isListSize(*F.Graph, E.B))
      Graphs.noteKeys(S, D.apply("library", Index, None));
    return D.element(evalPlace(F, E.A, S), Index, false);
  }
  case ExprKind::PtrElem:
    return D.element(D.pointee(eval(F, E.A, S)), eval(F, E.B, S), true);
  case ExprKind::Temp:
    return D.loc(LocKind::Temp, E.N, F.Function, None, E.S);
  default:
    return D.pointee(eval(F, Id, S));
  }
}

} // namespace cudagraph
