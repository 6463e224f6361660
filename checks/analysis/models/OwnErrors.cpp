//===- OwnErrors.cpp - Functions that return errors of their own ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that translates the status of CUDA fails only if CUDA does. One
// that also returns other errors may fail during any capture.
//
//===----------------------------------------------------------------------===//

#include "CaptureModel.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace cudagraph {

llvm::SmallVector<FunctionId, 4> calleesByName(Program &Table, const Op &O) {
  llvm::SmallVector<FunctionId, 4> All;
  if (O.Callee != None)
    All.push_back(O.Callee);
  if (O.How == Dispatch::Virtual)
    for (unsigned I = 0; I < All.size() && I < 16; ++I)
      llvm::append_range(All, Table.info(All[I]).Overrides);
  return All;
}

/// True if only the branch that leads to \p B tests the result of a call.
static bool isBehindStatus(const FlowGraph &G, const Block &B) {
  unsigned To = &B - G.Blocks.data();
  for (const Block &From : G.Blocks)
    for (const Edge &E : From.Succs)
      if (E.To == To && E.Failure)
        return true;
  return false;
}

/// True if \p Id, in \p G, consists only of constants: it contains no
/// parameter, and no result of a function of the program or of CUDA.
static bool isConstant(Program &Table, const FlowGraph &G, ExprId Id,
                       unsigned Depth = 0) {
  if (Id == None)
    return true;
  if (Depth > 6)
    return false;
  const Expr &E = G.Exprs[Id];
  auto IsGiven = [&](const Op &O) {
    return llvm::all_of(O.Args, [&](const CallArg &A) {
      return isConstant(Table, G, A.Value, Depth + 1);
    });
  };
  bool Constant = true;
  if (E.Kind == ExprKind::Var || E.Kind == ExprKind::Temp) {
    if (E.Kind == ExprKind::Var && E.N < G.NumParams)
      return false;
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops)
        if (O.Kind == OpKind::Assign && O.Place == Id)
          Constant &= isConstant(Table, G, O.Value, Depth + 1);
        else if (O.Kind == OpKind::Call && O.Object == Id && O.Callee != None &&
                 Table.info(O.Callee).IsConstructor)
          Constant &= IsGiven(O);
    return Constant;
  }
  if (E.Kind == ExprKind::Result)
    return llvm::any_of(G.Blocks, [&](const Block &B) {
      return llvm::any_of(B.Ops, [&](const Op &O) {
        return O.Kind == OpKind::Call && O.ResultIndex == E.N &&
               O.Callee != None && Table.info(O.Callee).IsSystem && IsGiven(O);
      });
    });
  if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global ||
      E.Kind == ExprKind::This)
    return false;
  return isConstant(Table, G, E.A, Depth + 1) &&
         isConstant(Table, G, E.B, Depth + 1) &&
         isConstant(Table, G, E.C, Depth + 1);
}

/// The constant that the function of \p G returns at \p O: a number, or the
/// first number from which the constructor of a status class creates it; for
/// one that is created from a text, by a constructor or another function, its
/// location.
static std::optional<int64_t> constantOf(Program &Table, const FlowGraph &G,
                                         const Block &B, const Op &O) {
  ExprId Value = O.Value;
  for (const Op &Made : B.Ops)
    if (Made.Kind == OpKind::Assign &&
        G.Exprs[O.Value].Kind == ExprKind::Load &&
        Made.Place == G.Exprs[O.Value].A)
      Value = Made.Value;
  const Expr &E = G.Exprs[Value];
  if (E.Kind == ExprKind::Int)
    return E.N;
  // A function that creates it: `Status::error("no license")`.
  if (E.Kind == ExprKind::Result)
    for (const Op &Made : B.Ops)
      if (Made.Kind == OpKind::Call && Made.ResultIndex == E.N &&
          Made.Object == None && Made.Callee != None && !Made.Args.empty() &&
          Table.info(Made.Callee).HasBody &&
          llvm::all_of(Made.Args, [&](const CallArg &A) {
            return isConstant(Table, G, A.Value);
          }))
        return Made.Range.Begin;
  if (E.Kind != ExprKind::Load)
    return std::nullopt;
  for (const Op &Made : B.Ops) {
    if (Made.Kind != OpKind::Call || Made.Object != E.A ||
        Made.Callee == None || !Table.info(Made.Callee).IsConstructor)
      continue;
    if (Made.Args.empty())
      return 0;
    for (const CallArg &A : Made.Args)
      if (A.Value != None && G.Exprs[A.Value].Kind == ExprKind::Int)
        return G.Exprs[A.Value].N;
    if (llvm::all_of(Made.Args, [&](const CallArg &A) {
          return isConstant(Table, G, A.Value);
        }))
      return Made.Range.Begin;
  }
  return std::nullopt;
}

/// True if \p Callee returns its own error: not one from CUDA, but one caused
/// by its arguments or the state of the program.
bool CaptureModel::failsByItself(FunctionId Callee, unsigned Depth) const {
  const FlowGraph *G = Table.graph(Callee);
  if (!G || Rel.entryFor(Callee) || Depth > 3)
    return false;
  std::set<std::optional<int64_t>> Returned; // nothing: no constant
  for (const Block &B : G->Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::Call &&
          llvm::any_of(calleesByName(Table, O), [&](FunctionId Each) {
            return failsByItself(Each, Depth + 1);
          }))
        return true;
      // After a failed call, the constant is a translation of that failure.
      if (O.Kind != OpKind::Return || O.Value == None || isBehindStatus(*G, B))
        continue;
      const Expr &Value = G->Exprs[O.Value];
      // `return n % 32 == 0 ? 0 : 77;`
      if (Value.Kind == ExprKind::Select && Value.B != Value.C &&
          G->Exprs[Value.B].Kind == ExprKind::Int &&
          G->Exprs[Value.C].Kind == ExprKind::Int)
        return true;
      Returned.insert(constantOf(Table, *G, B, O));
    }
  return Returned.size() > 1;
}

} // namespace cudagraph
