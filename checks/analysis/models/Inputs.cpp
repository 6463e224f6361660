//===- Inputs.cpp - The inputs of an expression ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Inputs.h.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "analysis/ir/Tuples.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// Maximum number of expressions in one search.
static constexpr unsigned MaxLooks = 512;

Inputs::Places Inputs::of(const Frame &F, ExprId E, State &S, As Is) {
  Search To{F, Is};
  visit(F, E, S, 0, To);
  return To.Found;
}

Inputs::Places Inputs::ofAddress(const Frame &F, ExprId Place, State &S) {
  Search To{F, Identity};
  switch (F.Graph->Exprs[Place].Kind) {
  case ExprKind::Field:
  case ExprKind::Elem:
  case ExprKind::PtrElem:
  case ExprKind::Deref:
    visitAddress(F, Place, S, 0, To);
    break;
  case ExprKind::AddrOf:
    visitAddress(F, F.Graph->Exprs[Place].A, S, 0, To);
    break;
  default:
    visit(F, Place, S, 0, To);
    break;
  }
  return To.Found;
}

Inputs::Places Inputs::ofCallee(const Frame &F, const Op &O, State &S,
                                const CallArg *Choice) {
  Search To{F, Test};
  if (const Expr *E = Choice ? &F.Graph->Exprs[Choice->Value] : nullptr)
    E->Kind == ExprKind::AddrOf ? visitPlace(F, E->A, S, 0, To)
                                : visit(F, Choice->Value, S, 0, To);
  else if (O.CalleeValue != None)
    visit(F, O.CalleeValue, S, 0, To);
  else if (O.How == Dispatch::Virtual && O.Object != None)
    visitAddress(F, O.Object, S, 0, To);
  return To.Found;
}

void Inputs::visit(const Frame &F, ExprId Id, State &S, unsigned Depth,
                   Search &To) {
  if (Id == None || Depth > MaxHops || To.Found.size() >= MaxPlaces ||
      ++To.Looks > MaxLooks || !To.Seen.insert({&F, Id}).second)
    return;
  const Expr &E = F.Graph->Exprs[Id];
  switch (E.Kind) {
  case ExprKind::AddrOf:
    // An address does not depend on the contents, but a copy and the end of a
    // loop over elements do.
    if (To.Is == Test)
      visitExtent(F, E.A, S, To);
    if (To.Is != Identity &&
        (Depth > 0 || &F != &To.Innermost || To.Is != Object)) {
      visitAddress(F, E.A, S, Depth, To);
      break;
    }
    [[fallthrough]];
  case ExprKind::Load:
    visitPlace(F, E.A, S, Depth, To);
    break;
  case ExprKind::Op:
    if (E.S == TupleOp && To.Element != None)
      return visitElement(F, E, S, Depth, To);
    To.OnlyTarget = false;
    visit(F, E.A, S, Depth, To);
    visit(F, E.B, S, Depth, To);
    break;
  case ExprKind::Select:
    To.OnlyTarget = false;
    visit(F, E.A, S, Depth, To);
    visit(F, E.B, S, Depth, To);
    visit(F, E.C, S, Depth, To);
    break;
  case ExprKind::Result:
    visitResult(F, E.N, S, Depth, To);
    break;
  case ExprKind::Closure:
    // The identity of a lambda does not depend on its captures.
    if (To.Is != Test)
      visitCaptures(F, E.A, S, Depth, To);
    break;
  default:
    break;
  }
}

/// The captures of the lambda whose captures are at \p Place.
void Inputs::visitCaptures(const Frame &F, ExprId Place, State &S,
                           unsigned Depth, Search &To) {
  const FlowGraph &G = *F.Graph;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Assign &&
          G.Exprs[O.Place].Kind == ExprKind::Field &&
          G.Exprs[O.Place].A == Place && isSynthetic(G.Exprs[O.Place].S)) {
        const Expr &V = G.Exprs[O.Value];
        V.Kind == ExprKind::AddrOf ? visitPlace(F, V.A, S, Depth + 1, To)
                                   : visit(F, O.Value, S, Depth + 1, To);
      }
}

/// The element of \p Tuple that \p To concerns.
void Inputs::visitElement(const Frame &F, const Expr &Tuple, State &S,
                          unsigned Depth, Search &To) {
  unsigned Index = std::exchange(To.Element, None);
  const Expr *Rest = &Tuple;
  for (unsigned I = 0; I < Index && Rest->S == TupleOp; ++I)
    Rest = &F.Graph->Exprs[Rest->B];
  if (Rest->Kind == ExprKind::Op && Rest->S == TupleOp)
    visit(F, Rest->A, S, Depth, To);
  To.Element = Index;
}

/// True if \p L is in an object of the program that the walk knows.
bool Inputs::isKnown(LocId L) const {
  const LocNode Root = D.at(D.root(L));
  return Root.Kind != LocKind::Result &&
         (Root.Kind != LocKind::Pointee || D[Root.A].Kind == ValueKind::Init);
}

/// The inputs of \p P, an object to which a pointer or a reference leads.
void Inputs::visitTarget(const Frame &F, ExprId P, State &S, unsigned Depth,
                         Search &To) {
  const FlowGraph &G = *F.Graph;
  ExprId Base = P;
  while (G.Exprs[Base].Kind == ExprKind::Field ||
         G.Exprs[Base].Kind == ExprKind::Elem)
    Base = G.Exprs[Base].A;
  const Expr &Root = G.Exprs[Base];
  if (!To.OnlyTarget)
    return visitPlace(F, P, S, Depth, To);
  To.OnlyTarget = false;
  visitAddress(F, P, S, Depth, To);
  // What was assigned to a local object is not known by its place alone.
  if (Root.Kind == ExprKind::Var || Root.Kind == ExprKind::Temp)
    visitVariable(F, Root, S, Depth, To, /*Whole=*/P == Base);
  if (Root.Kind == ExprKind::Deref && G.Exprs[Root.A].Kind == ExprKind::This &&
      To.isAccessor(&F))
    visitObject(*F.Parent, F.CallSite->Object, S, Depth + 1, To);
}

/// The inputs that determine the location of \p P: the pointers to it, and the
/// indexes of the elements on the path.
void Inputs::visitAddress(const Frame &F, ExprId P, State &S, unsigned Depth,
                          Search &To) {
  const FlowGraph &G = *F.Graph;
  // A structured binding names one element of a tuple.
  if (const Expr &E = G.Exprs[P];
      E.Kind == ExprKind::Elem && E.N && G.Exprs[E.A].Kind == ExprKind::Var)
    return visitPlace(F, P, S, Depth, To);
  for (;; P = G.Exprs[P].A) {
    const Expr &E = G.Exprs[P];
    if (E.Kind == ExprKind::Elem || E.Kind == ExprKind::PtrElem)
      visit(F, E.B, S, Depth, To);
    if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Elem)
      continue;
    if (E.Kind == ExprKind::PtrElem || E.Kind == ExprKind::Deref)
      visit(F, E.A, S, Depth, To);
    return;
  }
}

/// The places read at \p P: the place itself, and the values assigned to a
/// local variable or a parameter.
void Inputs::visitPlace(const Frame &F, ExprId P, State &S, unsigned Depth,
                        Search &To) {
  const FlowGraph &G = *F.Graph;
  bool Accessor = To.isAccessor(&F);
  ExprId Base = P;
  while (G.Exprs[Base].Kind == ExprKind::Field ||
         G.Exprs[Base].Kind == ExprKind::Elem ||
         G.Exprs[Base].Kind == ExprKind::PtrElem) {
    if (G.Exprs[Base].Kind != ExprKind::Field) {
      // A key that is passed by reference counts by its contents.
      ExprId Key = G.Exprs[Base].B;
      if (Key != None && G.Exprs[Key].Kind == ExprKind::AddrOf)
        visitPlace(F, G.Exprs[Key].A, S, Depth, To);
      else
        visit(F, Key, S, Depth, To);
    }
    Base = G.Exprs[Base].A;
  }
  const Expr &Root = G.Exprs[Base];
  // The inputs of a part of a key are compared with the key.
  const WriteSummary *Writes =
      G.Exprs[P].Kind == ExprKind::Field && !isPairMember(G.Exprs[P].S)
          ? Rel.writes(G.Exprs[P].S)
          : nullptr;
  bool Passed =
      Root.Kind == ExprKind::Var ||
      (Root.Kind == ExprKind::Deref && G.Exprs[Root.A].Kind == ExprKind::Load);
  if (Writes && Writes->IsKey && Passed && !Accessor) {
    To.add(Calls.evalPlace(F, P, S));
    return;
  }
  if (Root.Kind == ExprKind::Load || Root.Kind == ExprKind::Result)
    visit(F, Base, S, Depth, To); // the pointer to which the element belongs
  else if (Root.Kind == ExprKind::Deref &&
           !(Accessor && P != Base && passesMember(F, Root.A, S, Depth, To))) {
    bool Outer =
        std::exchange(To.OnlyTarget, !Accessor && P != Base &&
                                         isKnown(Calls.evalPlace(F, P, S)));
    visit(F, Root.A, S, Depth, To);
    To.OnlyTarget = Outer;
  }
  if (Root.Kind != ExprKind::Var && Root.Kind != ExprKind::Temp) {
    bool Own =
        Root.Kind == ExprKind::Deref && G.Exprs[Root.A].Kind == ExprKind::This;
    if (Own && Accessor)
      visitObject(*F.Parent, F.CallSite->Object, S, Depth + 1, To);
    if (Own && F.This == None)
      return;
    LocId L = Calls.evalPlace(F, P, S);
    To.add(L);
    visitLocal(F, L, S, Depth, To);
    return;
  }
  if (Root.Kind == ExprKind::Var && !Accessor)
    To.add(Calls.evalPlace(F, P, S));
  const Expr &Part = G.Exprs[P];
  unsigned Outer = To.Element;
  if (Part.Kind == ExprKind::Elem && Part.A == Base && Part.B != None &&
      G.Exprs[Part.B].Kind == ExprKind::Int)
    To.Element = static_cast<unsigned>(G.Exprs[Part.B].N);
  visitVariable(F, Root, S, Depth, To, /*Whole=*/P == Base);
  To.Element = Outer;
}

/// The values assigned to the object \p P of \p F.
void Inputs::visitObject(const Frame &F, ExprId P, State &S, unsigned Depth,
                         Search &To) {
  if (P == None || Depth > MaxHops)
    return;
  if (!To.isAccessor(&F)) {
    visitAddress(F, P, S, Depth, To); // the pointers that lead there
    return visitLocal(F, Calls.evalPlace(F, P, S), S, Depth, To);
  }
  const FlowGraph &G = *F.Graph;
  while (G.Exprs[P].Kind == ExprKind::Field ||
         G.Exprs[P].Kind == ExprKind::Elem)
    P = G.Exprs[P].A;
  const Expr &Root = G.Exprs[P];
  if (Root.Kind == ExprKind::Var || Root.Kind == ExprKind::Temp)
    visitVariable(F, Root, S, Depth, To);
  else if (Root.Kind == ExprKind::Deref &&
           G.Exprs[Root.A].Kind == ExprKind::This)
    visitObject(*F.Parent, F.CallSite->Object, S, Depth + 1, To);
  else if (Root.Kind == ExprKind::Deref &&
           !passesMember(F, Root.A, S, Depth, To))
    visit(F, Root.A, S, Depth, To);
}

/// The values assigned to the object that contains \p L, if it was created only
/// for this work: a local object of a function that captured code calls, or a
/// temporary. The inputs of other objects do not concern their users.
void Inputs::visitLocal(const Frame &F, LocId L, State &S, unsigned Depth,
                        Search &To) {
  const LocNode N = D.at(D.root(L));
  bool Temporary = N.Kind == LocKind::Temp && D.text(N.S) != "heap";
  if ((!Temporary && N.Kind != LocKind::Var) || S.Active.empty())
    return;
  FunctionId Home = Result.Captures[S.Active.back()].Home;
  for (const Frame *A = &F; A; A = A->Parent) {
    bool Inside = A->Function != Home && W.isInRegion(A->Function);
    if (A->Function == N.A && (Temporary || Inside)) {
      Expr Root;
      Root.Kind = Temporary ? ExprKind::Temp : ExprKind::Var;
      Root.N = N.N;
      Root.S = D.text(N.S).str();
      return visitVariable(*A, Root, S, Depth, To);
    }
    if (!Inside && !To.isAccessor(A))
      return;
  }
}

/// The values assigned to the local variable, the parameter, or the temporary
/// \p Root. \p Whole: not only to a part of it.
void Inputs::visitVariable(const Frame &F, const Expr &Root, State &S,
                           unsigned Depth, Search &To, bool Whole) {
  const FlowGraph &G = *F.Graph;
  if (!To.Vars.insert({&F, Root.N << 1 | (Root.Kind == ExprKind::Temp)}).second)
    return;
  if (Root.Kind == ExprKind::Var && Root.N < G.NumParams && F.Parent &&
      F.CallSite && static_cast<size_t>(Root.N) < F.CallSite->Args.size())
    visitArgument(*F.Parent, F.CallSite->Args[Root.N], S, Depth + 1, To);
  auto IsPart = [&](ExprId Part) {
    while (G.Exprs[Part].Kind == ExprKind::Field ||
           G.Exprs[Part].Kind == ExprKind::Elem)
      Part = G.Exprs[Part].A;
    const Expr &E = G.Exprs[Part];
    return E.Kind == Root.Kind && E.N == Root.N && E.S == Root.S;
  };
  unsigned Writes = 0;
  auto Makes = [&](const Op &O) {
    const FunctionInfo &Info = Table.info(O.Callee);
    return Info.IsConstructor || (To.Is == Identity && Info.IsSystem);
  };
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Assign || O.Kind == OpKind::Modify) {
        if (!IsPart(O.Place))
          continue;
        visit(F, O.Value, S, Depth + 1, To);
        if (To.Is == Identity && (++Writes > 1 || O.Kind == OpKind::Modify))
          visitBranches(F, &B - G.Blocks.data(), S, Depth + 1, To);
      } else if (O.Kind == OpKind::Call && O.Callee != None &&
                 O.Object != None && Makes(O) && IsPart(O.Object)) {
        const FunctionInfo &Info = Table.info(O.Callee);
        bool Tuple = To.Element < O.Args.size() && Info.IsSystem &&
                     llvm::StringRef(Info.Class).ends_with(TupleClass);
        for (unsigned I = 0; I < O.Args.size(); ++I)
          if (!Tuple || I == To.Element)
            visitArgument(F, O.Args[I], S, Depth + 1, To);
      } else if (O.Kind == OpKind::Call && O.Callee != None && Whole) {
        for (unsigned I = 0; I < O.Args.size(); ++I)
          if (const Expr *E =
                  O.Args[I].Value == None ? nullptr : &G.Exprs[O.Args[I].Value];
              E && O.Args[I].Written && E->Kind == ExprKind::AddrOf &&
              IsPart(E->A))
            visitWritten(F, O, I, S, Depth + 1, To);
      }
}

/// The conditions that determine whether \p Block of \p F runs, without
/// intermediate branches.
void Inputs::visitBranches(const Frame &F, unsigned Block, State &S,
                           unsigned Depth, Search &To) {
  const FlowGraph &G = *F.Graph;
  llvm::SmallVector<unsigned, 8> Work{Block};
  for (unsigned I = 0; I < Work.size() && I < 8; ++I)
    for (unsigned B = 0; B < G.Blocks.size(); ++B) {
      if (llvm::none_of(G.Blocks[B].Succs,
                        [&](const Edge &E) { return E.To == Work[I]; }))
        continue;
      if (G.Blocks[B].Succs.size() > 1)
        visit(F, G.Blocks[B].Cond, S, Depth, To);
      else if (!llvm::is_contained(Work, B))
        Work.push_back(B);
    }
}

Inputs::Places Inputs::behind(const Frame &F, LocId L, State &S) {
  Search To{F};
  const LocNode N = D.at(D.root(L));
  Expr Root;
  Root.Kind = ExprKind::Var;
  Root.N = N.N;
  if (N.Kind == LocKind::Var)
    for (const Frame *A = &F; A; A = A->Parent)
      if (A->Function == N.A) {
        visitVariable(*A, Root, S, 0, To);
        break;
      }
  return To.Found;
}

/// The container whose elements are at \p P.
void Inputs::visitExtent(const Frame &F, ExprId P, State &S, Search &To) {
  const FlowGraph &G = *F.Graph;
  if (G.Exprs[P].Kind == ExprKind::Elem)
    To.add(Calls.evalPlace(F, G.Exprs[P].A, S), /*Extent=*/true);
}

} // namespace cudagraph
