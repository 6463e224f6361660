//===- StreamOrigins.cpp - The origin of a default stream -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call receives the default stream from a variable or a parameter more often
// than from a literal null. The line to fix is the one that sets the variable
// or passes the argument.
//
//===----------------------------------------------------------------------===//

#include "OutcomeModel.h"

namespace cudagraph {

/// The argument of \p O that is written at \p Text.
static const CallArg *argumentAt(const Op &O, Span Text) {
  for (const std::vector<CallArg> *List : {&O.Args, &O.Config})
    for (const CallArg &Each : *List)
      if (Text.Begin && Each.Range.Begin == Text.Begin)
        return &Each;
  return nullptr;
}

/// The only operation of \p G that assigns a value to the variable at \p Place;
/// null if there are several.
static const Op *setterOf(const FlowGraph &G, ExprId Place) {
  const Op *Found = nullptr;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      bool Assigns = O.Kind == OpKind::Assign && O.Place == Place;
      bool Makes = O.Kind == OpKind::Call && O.Object == Place &&
                   O.Args.size() == 1 && !O.Implicit;
      if (!Assigns && !Makes)
        continue;
      if (Found)
        return nullptr;
      Found = &O;
    }
  return Found;
}

/// The call in \p G with the result \p Index; null if there is none.
static const Op *callOf(const FlowGraph &G, int64_t Index) {
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Call && O.ResultIndex == Index)
        return &O;
  return nullptr;
}

/// The location where the function \p G returns a constant, if it does nothing
/// else.
static Span returnOf(const FlowGraph *G) {
  Span Found;
  if (!G)
    return Found;
  for (const Block &B : G->Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind != OpKind::Return)
        continue;
      if (Found.Begin || O.Value == None ||
          G->Exprs[O.Value].Kind != ExprKind::Int)
        return {};
      Found = O.Range;
    }
  return Found;
}

void OutcomeModel::noteOrigin(const Call &C, Fact &R) const {
  constexpr unsigned MaxHops = 12;
  const CallArg *Given = argumentAt(C.O, C.StreamText);
  if (!Given)
    return;
  const Frame *F = &C.F;
  ExprId Id = Given->Value;
  Span From = Given->Range;
  FunctionId In = None;
  for (unsigned Hop = 0; Hop < MaxHops && Id != None; ++Hop) {
    const FlowGraph &G = *F->Graph;
    const Expr &E = G.Exprs[Id];
    ExprId Place = None;
    if (E.Kind == ExprKind::Load || E.Kind == ExprKind::AddrOf) {
      Place = E.A;
    } else if (E.Kind == ExprKind::Result) {
      const Op *Call = callOf(G, E.N);
      if (Call && Call->Callee != None)
        if (Span Return = returnOf(Table.graph(Call->Callee)); Return.Begin) {
          From = Return;
          In = Call->Callee;
          break;
        }
      // A conversion has the properties of its object.
      if (Call && Call->Object != None && Call->Args.empty()) {
        Place = Call->Object;
      } else {
        if (Call)
          From = Call->Range;
        break;
      }
    }
    if (Place == None || G.Exprs[Place].Kind != ExprKind::Var)
      break;
    int64_t Var = G.Exprs[Place].N;
    if (Var < static_cast<int64_t>(G.NumParams)) {
      const CallArg *Passed =
          F->Parent && F->CallSite ? F->CallSite->arg(Var) : nullptr;
      if (!Passed)
        break;
      F = F->Parent;
      Id = Passed->Value;
      if (Passed->Range.Begin)
        From = Passed->Range;
      continue;
    }
    const Op *Setter = setterOf(G, Place);
    if (!Setter)
      break;
    From = Setter->Range;
    Id = Setter->Kind == OpKind::Assign ? Setter->Value : Setter->Args[0].Value;
  }
  const Location &Here = Table.location(C.O.Range);
  const Location &There = Table.location(From);
  if (!There.valid() || (There.File == Here.File && There.Line == Here.Line))
    return;
  R.call().StreamFrom = From;
  R.call().StreamFromIn = In == None ? F->Function : In;
}

} // namespace cudagraph
