//===- Accessors.cpp - The inputs of a call's result ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small functions are examined for their results, and for the values that they
// store through their parameters. See Inputs.h.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "analysis/program/MemoryPools.h"
#include "llvm/Support/SaveAndRestore.h"

namespace cudagraph {

/// Visits the values that \p Made, a call to a small function, stores at the
/// target of its parameter \p Param.
void Inputs::visitWritten(const Frame &F, const Op &Made, unsigned Param,
                          State &S, unsigned Depth, Search &To) {
  const FlowGraph *Body = Table.graph(Made.Callee);
  if (Depth > MaxHops)
    return;
  if (!Body || !To.isSmall(*Body)) {
    // A key depends on the arguments of library calls that fill it.
    if (To.Is == Identity && !Rel.entryFor(Made.Callee))
      for (unsigned I = 0; I < Made.Args.size(); ++I)
        if (I != Param) {
          llvm::SaveAndRestore<MemberPath> Whole(To.Path, {});
          visitArgument(F, Made.Args[I], S, Depth + 1, To);
        }
    return;
  }
  size_t Bound = To.Bound.size();
  Frame &Callee = enter(F, Made, Made.Callee, *Body, S, To);
  for (const Block &B : Body->Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind != OpKind::Assign && O.Kind != OpKind::Modify)
        continue;
      ExprId P = O.Place;
      while (Body->Exprs[P].Kind == ExprKind::Field ||
             Body->Exprs[P].Kind == ExprKind::Elem)
        P = Body->Exprs[P].A;
      const Expr &Root = Body->Exprs[P];
      const Expr *Pointer =
          Root.Kind == ExprKind::Deref ? &Body->Exprs[Root.A] : nullptr;
      if (Pointer && Pointer->Kind == ExprKind::Load &&
          Body->Exprs[Pointer->A].Kind == ExprKind::Var &&
          Body->Exprs[Pointer->A].N == Param)
        visitPart(Callee, O.Value, {}, S, Depth, To);
    }
  leave(S, To, Bound);
}

/// The frame of the call \p Made, in \p F, for examining its callee \p Id.
Frame &Inputs::enter(const Frame &F, const Op &Made, FunctionId Id,
                     const FlowGraph &Body, State &S, Search &To) {
  Frame &Callee = To.Accessors.emplace_back();
  Callee.Function = Id;
  Callee.Graph = &Body;
  Callee.Parent = &F;
  Callee.CallSite = &Made;
  Callee.This =
      Made.Object != None
          ? D.value(ValueKind::Addr, 0, Calls.evalPlace(F, Made.Object, S))
          : None;
  // Places are the targets of the pointers that are passed.
  for (unsigned I = 0; I < Made.Args.size() && I < Body.NumParams; ++I) {
    LocId Param = D.loc(LocKind::Var, I, Id);
    const Expr *E = Made.Args[I].Value == None
                        ? nullptr
                        : &F.Graph->Exprs[Made.Args[I].Value];
    if (!E || S.Mem.contains(Param))
      continue; // its examination is in progress
    ValueId V = None;
    if (E->Kind == ExprKind::AddrOf)
      V = D.value(ValueKind::Addr, 0, Calls.evalPlace(F, E->A, S));
    else if (E->Kind == ExprKind::Load)
      V = read(D, S, Calls.evalPlace(F, E->A, S));
    if (V == None || D[V].Kind != ValueKind::Addr)
      continue;
    S.Mem.set(Param, V);
    To.Bound.push_back(Param);
  }
  return Callee;
}

/// Leaves the functions that were entered after the first \p Bound parameters
/// were bound.
void Inputs::leave(State &S, Search &To, size_t Bound) {
  while (To.Bound.size() > Bound)
    S.Mem.erase(To.Bound.pop_back_val());
}

/// True if \p Pointer is a parameter of the accessor \p F that points to a
/// member or a global: reads through it are known, and no other part of that
/// object matters.
bool Inputs::passesMember(const Frame &F, ExprId Pointer, State &S,
                          unsigned Depth, Search &To) {
  const FlowGraph &G = *F.Graph;
  const Expr &E = G.Exprs[Pointer];
  const Expr *Var = E.Kind == ExprKind::Load ? &G.Exprs[E.A] : nullptr;
  if (!Var || Var->Kind != ExprKind::Var || Var->N >= G.NumParams ||
      static_cast<size_t>(Var->N) >= F.CallSite->Args.size() ||
      F.CallSite->Args[Var->N].Value == None ||
      !llvm::is_contained(To.Bound, D.loc(LocKind::Var, Var->N, F.Function)))
    return false;
  const FlowGraph &Caller = *F.Parent->Graph;
  const Expr &Passed = Caller.Exprs[F.CallSite->Args[Var->N].Value];
  if (Passed.Kind != ExprKind::AddrOf)
    return false;
  ExprId Base = Passed.A;
  while (Caller.Exprs[Base].Kind == ExprKind::Field ||
         Caller.Exprs[Base].Kind == ExprKind::Elem)
    Base = Caller.Exprs[Base].A;
  ExprKind K = Caller.Exprs[Base].Kind;
  if (K == ExprKind::Var || K == ExprKind::Temp)
    return false;
  visitAddress(*F.Parent, Passed.A, S, Depth + 1, To);
  return true;
}

/// The beginning of the call to the outermost accessor if the accessor \p F
/// takes the contents of \p P out of a pool; else 0.
unsigned Inputs::takenAt(const Frame &F, ExprId P, const Search &To) const {
  if (!To.isAccessor(&F) || To.Lossy || !takesOut(*F.Graph, Rel, P))
    return 0;
  const Frame *Outermost = &F;
  while (To.isAccessor(Outermost->Parent))
    Outermost = Outermost->Parent;
  return Outermost->CallSite->Range.Begin;
}

/// Visits the result of an accessor: members of its object, and globals.
void Inputs::visitResult(const Frame &F, int64_t Index, State &S,
                         unsigned Depth, Search &To) {
  const FlowGraph &G = *F.Graph;
  const Op *Call = nullptr;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Call && O.ResultIndex == Index)
        Call = &O;
  if (!Call)
    return;
  if (Call->Callee == None ||
      (Call->How != Dispatch::Direct && Call->How != Dispatch::Virtual &&
       !Call->IsLambda)) {
    // A key depends on the arguments of a call that computes it.
    if (To.Is == Identity)
      for (const CallArg &A : Call->Args) {
        llvm::SaveAndRestore<MemberPath> Whole(To.Path, {});
        visitArgument(F, A, S, Depth + 1, To);
      }
    return;
  }
  llvm::SmallVector<FunctionId, 4> Callees{Call->Callee};
  if (Call->How == Dispatch::Virtual)
    for (unsigned I = 0; I < Callees.size() && I < 8; ++I)
      llvm::append_range(Callees, Table.info(Callees[I]).Overrides);
  for (FunctionId Each : Callees)
    visitReturned(F, *Call, Each, S, Depth, To);
}

/// Visits the result of the function \p Id, which \p Made may call: it depends
/// on the arguments, and on the members that an accessor reads.
void Inputs::visitReturned(const Frame &F, const Op &Made, FunctionId Id,
                           State &S, unsigned Depth, Search &To) {
  bool HasObject = Made.Object != None;
  // The success of a call does not depend on its arguments.
  if (const catalogue::Entry *E = Rel.entryFor(Id); E && E->Returns == "status")
    return;
  const FlowGraph *Body = Table.graph(Id);
  if (!Body || !To.isSmall(*Body)) {
    To.OnlyTarget = false;
    llvm::SaveAndRestore<MemberPath> Whole(To.Path, {});
    // The result of a query on a library object depends on the object.
    if (Table.info(Id).IsSystem && HasObject)
      To.add(Calls.evalPlace(F, Made.Object, S), /*Extent=*/true,
             /*ByKey=*/!Made.Args.empty(), takenAt(F, Made.Object, To));
    for (const CallArg &A : Made.Args)
      visitArgument(F, A, S, Depth + 1, To);
    return;
  }
  size_t Bound = To.Bound.size();
  bool OnlyTarget = std::exchange(To.OnlyTarget, false);
  Frame &Callee = enter(F, Made, Id, *Body, S, To);
  // A predicate that returns constants depends on its conditions, as does a
  // function that returns one of several objects or functions.
  bool Tests = false;
  ExprId Other = None;
  unsigned Returns = 0;
  for (const Block &B : Body->Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Return && O.Value != None && To.Is == Identity) {
        Tests |= ++Returns > 1;
      } else if (O.Kind == OpKind::Return && O.Value != None && To.Is == Test) {
        ExprKind K = Body->Exprs[O.Value].Kind;
        bool Named = K == ExprKind::AddrOf || K == ExprKind::Function;
        Tests |=
            K == ExprKind::Int || (Named && Other != None && Other != O.Value);
        if (Named)
          Other = O.Value;
      }
  for (const Block &B : Body->Blocks)
    if (Tests && B.Cond != None) {
      llvm::SaveAndRestore<bool> Loses(To.Lossy, true);
      visitPart(Callee, B.Cond, {}, S, Depth + 1, To);
    }
  for (const Block &B : Body->Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Return && O.Value != None) {
        const Expr &E = Body->Exprs[O.Value];
        bool Own = E.Kind == ExprKind::AddrOf &&
                   Body->Exprs[E.A].Kind == ExprKind::Deref &&
                   Body->Exprs[Body->Exprs[E.A].A].Kind == ExprKind::This;
        if (E.Kind == ExprKind::This || Own)
          visitOwn(Callee, MemberPath(To.Path), S, Depth + 1, To);
        if (E.Kind == ExprKind::This)
          visitObject(F, Made.Object, S, Depth + 1, To);
        else if (E.Kind == ExprKind::AddrOf) { // a reference
          To.OnlyTarget = OnlyTarget;
          visitTarget(Callee, E.A, S, Depth + 1, To);
          To.OnlyTarget = false;
        } else
          visit(Callee, O.Value, S, Depth + 1, To);
      }
  leave(S, To, Bound);
}

/// Visits an argument, which may be bound to a reference.
void Inputs::visitArgument(const Frame &F, const CallArg &A, State &S,
                           unsigned Depth, Search &To) {
  if (A.Value == None)
    return;
  const Expr &E = F.Graph->Exprs[A.Value];
  if (E.Kind == ExprKind::AddrOf && !A.Written) {
    To.Through = Search::Nowhere; // to parts of the object
    visitTarget(F, E.A, S, Depth, To);
  } else {
    visit(F, A.Value, S, Depth, To);
  }
}

} // namespace cudagraph
