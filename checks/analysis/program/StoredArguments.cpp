//===- StoredArguments.cpp - Arguments that captures remember -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that captures a graph for its parameter may store the parameter in
// a member, and its caller compares the member with the next argument:
// `if (n != recorded) record(n);`. See GraphShapes.h.
//
//===----------------------------------------------------------------------===//

#include "GraphShapes.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if \p E, in \p G, is the contents of the parameter \p Param.
static bool isParameter(const FlowGraph &G, ExprId E, unsigned Param) {
  if (E == None || G.Exprs[E].Kind != ExprKind::Load)
    return false;
  const Expr &Place = G.Exprs[G.Exprs[E].A];
  return Place.Kind == ExprKind::Var && Place.N == Param;
}

/// The call in \p G whose result is \p E; nullptr if it has arguments.
static const Op *propertyAt(const FlowGraph &G, ExprId E) {
  while (E != None && G.Exprs[E].Kind == ExprKind::Op && G.Exprs[E].B == None)
    E = G.Exprs[E].A; // a conversion
  if (E == None || G.Exprs[E].Kind != ExprKind::Result)
    return nullptr;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Call && O.ResultIndex == G.Exprs[E].N)
        return O.Callee != None && O.Object != None && O.Args.empty() ? &O
                                                                      : nullptr;
  return nullptr;
}

/// True if \p Pointer, in \p G, is the address of \p Object.
static bool pointsTo(const FlowGraph &G, ExprId Pointer, ExprId Object) {
  const Expr &P = G.Exprs[Pointer], &To = G.Exprs[Object];
  return (P.Kind == ExprKind::AddrOf && P.A == Object) ||
         (To.Kind == ExprKind::Deref && To.A == Pointer);
}

bool GraphShapes::storesArgument(const FlowGraph &G, const Op &O, ExprId Value,
                                 llvm::StringRef Key, unsigned Depth) const {
  constexpr unsigned MaxDepth = 2;
  if (O.Kind != OpKind::Call || O.Callee == None || Depth > MaxDepth ||
      !(Rel.bits(O.Callee) & Relevance::Begins))
    return false;
  const FlowGraph *Body = Table.graph(O.Callee);
  if (!Body)
    return false;
  const Op *Property = propertyAt(G, Value);
  auto Stores = [&](const Op &Each, unsigned Param, bool Whole) {
    if (Each.Kind == OpKind::Assign) {
      const std::string *To = writeKey(*Body, Each.Place);
      if (!To || *To != Key)
        return false;
      if (Whole)
        return isParameter(*Body, Each.Value, Param);
      const Op *Same = propertyAt(*Body, Each.Value);
      return Same && Same->Callee == Property->Callee &&
             Body->Exprs[Same->Object].Kind == ExprKind::Deref &&
             isParameter(*Body, Body->Exprs[Same->Object].A, Param);
    }
    return Whole && llvm::any_of(Each.Args, [&](const CallArg &A) {
             return isParameter(*Body, A.Value, Param) &&
                    storesArgument(*Body, Each, A.Value, Key, Depth + 1);
           });
  };
  for (unsigned I = 0; I < O.Args.size() && I < Body->NumParams; ++I) {
    ExprId Given = O.Args[I].Value;
    bool Whole = Given == Value;
    if (Given == None ||
        (!Whole && !(Property && pointsTo(G, Given, Property->Object))))
      continue;
    for (const Block &B : Body->Blocks)
      if (llvm::any_of(B.Ops,
                       [&](const Op &Each) { return Stores(Each, I, Whole); }))
        return true;
  }
  return false;
}

FunctionId GraphShapes::captureThatSets(llvm::StringRef Key) const {
  const WriteSummary *Writes = Rel.writes(Key);
  if (!Writes || !Writes->IsKey)
    return None;
  std::vector<FunctionId> Setters = Writes->Writers;
  for (const WriteSummary::Use &U : Writes->Calls) {
    const catalogue::Entry *E = Rel.entryFor(U.Callee);
    if (E && E->Does == catalogue::Effect::HostMutate)
      Setters.push_back(U.In);
  }
  bool Only = llvm::all_of(Setters, [&](FunctionId F) {
    return (Rel.bits(F) & Relevance::Begins) != 0;
  });
  return Only && !Setters.empty() ? Setters.front() : None;
}

} // namespace cudagraph
