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

/// The function, \p F or a caller for whose parameter \p Value stands, that
/// stores \p Value in \p Place, which is the member or global \p Key, or that
/// calls a function which captures and does so; None if there is none.
FunctionId Comparisons::remembers(const Frame &F, llvm::StringRef Key,
                                  ExprId Place, ExprId Value) const {
  const FlowGraph &G = *F.Graph;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Assign
              ? O.Place == Place && O.Value == Value
              : !Key.empty() && Shapes.storesArgument(G, O, Value, Key))
        return F.Function;
  const Expr &E = G.Exprs[Value];
  if (Key.empty() || !F.Parent || !F.CallSite || E.Kind != ExprKind::Load ||
      G.Exprs[E.A].Kind != ExprKind::Var)
    return None;
  const CallArg *Given = F.CallSite->arg(G.Exprs[E.A].N);
  return Given && Given->Value != None
             ? remembers(*F.Parent, Key, None, Given->Value)
             : None;
}

Comparisons::Unchanged Comparisons::ifEqual(const Frame &F, ExprId X, ExprId Y,
                                            State &S) {
  Unchanged Result;
  if (X == None || Y == None)
    return Result;
  const FlowGraph &G = *F.Graph;
  auto Remembers = [&](ExprId Copy, ExprId Of) {
    const ExprKind K = G.Exprs[Copy].Kind;
    bool Contents = K == ExprKind::Load || K == ExprKind::AddrOf;
    ExprId Place = Contents ? G.Exprs[Copy].A : Copy;
    const std::string *Key = writeKey(G, Place);
    Result.By = Key ? Shapes.captureThatSets(*Key) : None;
    if (Result.By == None && K == ExprKind::Load)
      Result.By = remembers(F, Key ? *Key : "", Place, Of);
    return Result.By != None;
  };
  ExprId Now = Remembers(X, Y) ? Y : Remembers(Y, X) ? X : None;
  if (Now == None)
    return Result;
  bool Address = G.Exprs[Now].Kind == ExprKind::AddrOf;
  Result.Places = Inputs(W, Calls).of(
      F, Now, S, Address ? Inputs::Identity : Inputs::Value);
  return Result;
}

llvm::SmallVector<Comparisons::Unchanged, 2>
Comparisons::note(const Frame &F, ExprId Cond, State &S, Evaluate Eval) {
  if (Cond == None || F.Graph->Exprs[Cond].Kind != ExprKind::Op)
    return {};
  const Expr &E = F.Graph->Exprs[Cond];
  if (E.S != "==" && E.S != "!=") {
    llvm::SmallVector<Unchanged, 2> All = note(F, E.A, S, Eval);
    llvm::append_range(All, note(F, E.B, S, Eval));
    return All;
  }
  ValueId V = Eval(Cond);
  while (D[V].Kind == ValueKind::Op && D[V].B == None)
    V = D[V].A;
  const std::optional<int64_t> Number = D.asInt(V);
  if (Number ? (*Number != 0) != (E.S == "==") : D[V].Kind != ValueKind::Op)
    return {};
  Unchanged Same = ifEqual(F, E.A, E.B, S);
  if (Same.Places.empty())
    return {};
  if (Number)
    return {std::move(Same)};
  Known[V] = std::move(Same);
  return {};
}

const Comparisons::Unchanged *Comparisons::ifTrue(ValueId Equal) const {
  auto It = Known.find(Equal);
  return It == Known.end() ? nullptr : &It->second;
}

bool Comparisons::concerns(const Unchanged &What, FunctionId Home) {
  if (What.By == None || Home == None || What.By == Home)
    return true;
  auto [It, New] = Related.try_emplace({What.By, Home}, false);
  if (!New)
    return It->second;
  constexpr unsigned MaxCalls = 3; // between the two functions
  auto Reaches = [&](FunctionId From, FunctionId To) {
    llvm::SmallVector<FunctionId, 16> Met{From};
    unsigned Next = 0;
    for (unsigned Round = 0; Round < MaxCalls; ++Round)
      for (unsigned End = Met.size(); Next < End; ++Next)
        for (FunctionId Callee : Rel.calleesOf(Met[Next]))
          if (!llvm::is_contained(Met, Callee))
            Met.push_back(Callee);
    return llvm::is_contained(Met, To);
  };
  return It->second = Reaches(What.By, Home) || Reaches(Home, What.By);
}

} // namespace cudagraph
