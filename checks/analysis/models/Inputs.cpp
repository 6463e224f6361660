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
#include "llvm/Support/SaveAndRestore.h"

namespace cudagraph {

/// The maximum number of expressions in one search.
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

/// True if the operator \p Name has one result for several operands.
static bool isLossy(llvm::StringRef Name) {
  return llvm::is_contained({"/", "%", ">>", "&", "<", "<=", ">",
                             ">=", "==", "!=", "!", "&&", "||", "bool"},
                            Name);
}

/// True if \p Base, of \p G, is a variable, or the target of one.
static bool isPassed(const FlowGraph &G, ExprId Base) {
  const Expr &E = G.Exprs[Base];
  return E.Kind == ExprKind::Var ||
         (E.Kind == ExprKind::Deref && G.Exprs[E.A].Kind == ExprKind::Load);
}

void Inputs::visit(const Frame &F, ExprId Id, State &S, unsigned Depth,
                   Search &To) {
  const auto Through = std::exchange(To.Through, Search::Nowhere);
  if (Id == None || Depth > MaxHops || To.Found.size() >= most(To.Is) ||
      ++To.Looks > MaxLooks ||
      !To.Seen
           .insert({&F, Id | uint64_t(To.Lossy) << 31 |
                            uint64_t(numberOf(To.Path)) << 32})
           .second)
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
      const Expr &Place = F.Graph->Exprs[E.A];
      if (To.Is == Test && Place.Kind == ExprKind::Elem && To.Path.empty()) {
        visit(F, Place.B, S, Depth, To); // an iterator that is compared
        visitAddress(F, Place.A, S, Depth, To);
      } else {
        visitAddress(F, E.A, S, Depth, To);
      }
      break;
    }
    [[fallthrough]];
  case ExprKind::Load:
    To.Through = Through;
    visitPlace(F, E.A, S, Depth, To);
    break;
  case ExprKind::Op:
    if (E.S == TupleOp && elementOf(To.Path))
      return visitElement(F, E, S, Depth, To);
    To.OnlyTarget = false;
    {
      llvm::SaveAndRestore<bool> Loses(To.Lossy, To.Lossy || isLossy(E.S));
      visitPart(F, E.A, {}, S, Depth, To);
      visitPart(F, E.B, {}, S, Depth, To);
    }
    break;
  case ExprKind::Select:
    To.OnlyTarget = false;
    {
      llvm::SaveAndRestore<bool> Loses(To.Lossy, true);
      visitPart(F, E.A, {}, S, Depth, To);
    }
    for (ExprId Each : {E.B, E.C}) {
      To.Through = Through;
      visit(F, Each, S, Depth, To);
    }
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

/// Visits the captures of the lambda whose captures are at \p Place, or only \p
/// Name.
void Inputs::visitCaptures(const Frame &F, ExprId Place, State &S,
                           unsigned Depth, Search &To, llvm::StringRef Name) {
  const FlowGraph &G = *F.Graph;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Assign &&
          G.Exprs[O.Place].Kind == ExprKind::Field &&
          G.Exprs[O.Place].A == Place && isSynthetic(G.Exprs[O.Place].S) &&
          (Name.empty() || Name == G.Exprs[O.Place].S)) {
        const Expr &V = G.Exprs[O.Value];
        llvm::SaveAndRestore<MemberPath> Whole(To.Path, {});
        V.Kind == ExprKind::AddrOf ? visitPlace(F, V.A, S, Depth + 1, To)
                                   : visit(F, O.Value, S, Depth + 1, To);
      }
}

/// Visits the inputs of the part \p Path of \p Value. Restores the path of \p
/// To.
void Inputs::visitPart(const Frame &F, ExprId Value,
                       llvm::ArrayRef<MemberStep> Path, State &S,
                       unsigned Depth, Search &To) {
  llvm::SaveAndRestore<MemberPath> Part(To.Path,
                                        MemberPath(Path.begin(), Path.end()));
  visit(F, Value, S, Depth, To);
}

/// Visits the capture \p Name of the lambda \p F, where a caller creates the
/// lambda.
void Inputs::visitCapture(const Frame &F, llvm::StringRef Name, State &S,
                          unsigned Depth, Search &To) {
  for (const Frame *A = F.Parent; A; A = A->Parent)
    for (const Expr &E : A->Graph->Exprs)
      if (E.Kind == ExprKind::Closure && E.N == F.Function)
        return visitCaptures(*A, E.A, S, Depth, To, Name);
}

/// Visits the element of \p Tuple at which the path of \p To starts.
void Inputs::visitElement(const Frame &F, const Expr &Tuple, State &S,
                          unsigned Depth, Search &To) {
  const MemberPath Path = To.Path;
  const Expr *Rest = &Tuple;
  for (unsigned I = 0; I < *elementOf(Path) && Rest->S == TupleOp; ++I)
    Rest = &F.Graph->Exprs[Rest->B];
  if (Rest->Kind == ExprKind::Op && Rest->S == TupleOp)
    visitPart(F, Rest->A, llvm::ArrayRef(Path).drop_front(), S, Depth, To);
}

/// True if \p L is in a known object.
bool Inputs::isKnown(LocId L) const {
  const LocNode Root = D.at(D.root(L));
  return Root.Kind != LocKind::Result &&
         (Root.Kind != LocKind::Pointee || D[Root.A].Kind == ValueKind::Init);
}

/// Visits the inputs of \p P, an object to which a pointer or a reference
/// refers.
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
  // The place of a local object does not show what was assigned to it.
  if (Root.Kind == ExprKind::Var || Root.Kind == ExprKind::Temp) {
    ExprId Start = P;
    llvm::SaveAndRestore<MemberPath> Whole(To.Path, To.in(stepsOf(G, Start)));
    visitVariable(F, Root, S, Depth, To, /*Whole=*/P == Base);
  }
  if (Root.Kind == ExprKind::Deref && G.Exprs[Root.A].Kind == ExprKind::This &&
      To.isAccessor(&F))
    visitObject(*F.Parent, F.CallSite->Object, S, Depth + 1, To);
}

/// Visits the inputs that determine the location of \p P: the pointers to it,
/// and the indexes of the elements on the path.
void Inputs::visitAddress(const Frame &F, ExprId P, State &S, unsigned Depth,
                          Search &To) {
  const FlowGraph &G = *F.Graph;
  // The part of the object that a pointer refers to; unknown after pointer
  // arithmetic.
  ExprId Base = P;
  const MemberPath Inner = stepsOf(G, Base);
  const MemberPath Path =
      G.Exprs[Base].Kind == ExprKind::Deref ? To.in(Inner) : MemberPath();
  llvm::SaveAndRestore<MemberPath> Whole(To.Path, {});
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
    if (E.Kind == ExprKind::PtrElem || E.Kind == ExprKind::Deref) {
      To.Through = Search::Anywhere;
      visitPart(F, E.A, Path, S, Depth, To);
    }
    return;
  }
}

/// True if \p P is in an element that an index selects: not the first or the
/// last.
static bool hasIndex(const FlowGraph &G, ExprId P) {
  for (;
       G.Exprs[P].Kind == ExprKind::Field || G.Exprs[P].Kind == ExprKind::Elem;
       P = G.Exprs[P].A)
    if (const Expr &E = G.Exprs[P]; E.Kind == ExprKind::Elem && E.B != None &&
                                    G.Exprs[E.B].Kind != ExprKind::Unknown)
      return true;
  return false;
}

/// Visits the places read at \p P: the place itself, and the values assigned to
/// a local variable or a parameter.
void Inputs::visitPlace(const Frame &F, ExprId P, State &S, unsigned Depth,
                        Search &To) {
  const FlowGraph &G = *F.Graph;
  bool Accessor = To.isAccessor(&F);
  const auto Through = std::exchange(To.Through, Search::Nowhere);
  ExprId Base = P;
  while (G.Exprs[Base].Kind == ExprKind::Field ||
         G.Exprs[Base].Kind == ExprKind::Elem ||
         G.Exprs[Base].Kind == ExprKind::PtrElem) {
    if (G.Exprs[Base].Kind != ExprKind::Field) {
      // A key that is passed by reference counts by its contents.
      ExprId Key = G.Exprs[Base].B;
      llvm::SaveAndRestore<MemberPath> Whole(To.Path, {});
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
  bool Passed = isPassed(G, Base);
  // A member function of such an object.
  if (Accessor)
    Passed = F.This != None && Root.Kind == ExprKind::Deref &&
             G.Exprs[Root.A].Kind == ExprKind::This &&
             F.CallSite->Object != None &&
             isPassed(*F.Parent->Graph, F.CallSite->Object) &&
             D.at(D.root(Calls.evalPlace(F, P, S))).Kind == LocKind::Var;
  if (Writes && Writes->IsKey && Passed) {
    To.add(Calls.evalPlace(F, P, S));
    return;
  }
  // The path of the object to which a pointer refers; unknown after pointer
  // arithmetic.
  ExprId Start = P;
  const MemberPath Inner = stepsOf(G, Start);
  const MemberPath Path = Start == Base ? To.in(Inner) : MemberPath();
  if (Root.Kind == ExprKind::Load || Root.Kind == ExprKind::Result)
    visitPart(F, Base, {}, S, Depth, To); // the pointer to the first element
  else if (Root.Kind == ExprKind::Deref &&
           !(Accessor && P != Base && passesMember(F, Root.A, S, Depth, To))) {
    bool Whole =
        std::exchange(To.OnlyTarget, !Accessor && P != Base &&
                                         isKnown(Calls.evalPlace(F, P, S)));
    // Several objects may have equal members.
    llvm::SaveAndRestore<bool> Loses(
        To.Lossy, To.Lossy || (To.Is == Identity && To.OnlyTarget));
    if (G.Exprs[Root.A].Kind != ExprKind::This)
      To.Through = Search::InLocal;
    visitPart(F, Root.A, Path, S, Depth, To);
    To.OnlyTarget = Whole;
  }
  if (Root.Kind != ExprKind::Var && Root.Kind != ExprKind::Temp) {
    bool Own =
        Root.Kind == ExprKind::Deref && G.Exprs[Root.A].Kind == ExprKind::This;
    if (Own && Accessor) {
      llvm::SaveAndRestore<MemberPath> Whole(To.Path, Path);
      visitObject(*F.Parent, F.CallSite->Object, S, Depth + 1, To);
    }
    if (Own && F.This == None)
      return;
    LocId L = Calls.evalPlace(F, P, S);
    To.add(L, /*Extent=*/false, hasIndex(G, P), takenAt(F, P, To));
    visitLocal(F, L, S, Depth, To);
    if (Own && S.Active.empty() && isSynthetic(G.Exprs[P].S))
      visitCapture(F, G.Exprs[P].S, S, Depth + 1, To);
    return;
  }
  if (Root.Kind == ExprKind::Var && !Accessor)
    To.add(Through == Search::Anywhere ||
                   (Through == Search::InLocal && Root.N >= G.NumParams)
               ? Calls.evalPlace(F, P, S)
               : partOf(D, Calls.evalPlace(F, P, S), To.Path));
  llvm::SaveAndRestore<MemberPath> Whole(To.Path, Path);
  if (Through == Search::InLocal)
    To.Through = Through;
  visitVariable(F, Root, S, Depth, To, /*Whole=*/P == Base);
}

/// Visits the container whose elements are at \p P.
void Inputs::visitExtent(const Frame &F, ExprId P, State &S, Search &To) {
  const FlowGraph &G = *F.Graph;
  if (G.Exprs[P].Kind == ExprKind::Elem)
    To.add(Calls.evalPlace(F, G.Exprs[P].A, S), /*Extent=*/true);
}

} // namespace cudagraph
