//===- AssignedValues.cpp - The inputs of local variables -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A local object depends on the values that are assigned to it, in its function
// and in the methods that are called on it. Values of members that are not read
// do not matter. See Inputs.h.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "analysis/ir/Tuples.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

namespace cudagraph {

/// Visits the values assigned to the object \p P of \p F.
void Inputs::visitObject(const Frame &F, ExprId P, State &S, unsigned Depth,
                         Search &To) {
  if (P == None || Depth > MaxHops)
    return;
  if (!To.isAccessor(&F)) {
    visitAddress(F, P, S, Depth, To); // the pointers that lead there
    return visitLocal(F, Calls.evalPlace(F, P, S), S, Depth, To);
  }
  const FlowGraph &G = *F.Graph;
  const MemberPath Inner = stepsOf(G, P); // sets P
  llvm::SaveAndRestore<MemberPath> Whole(To.Path, To.in(Inner));
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

/// True if the capturing function is a method of the object \p Root, a local
/// variable that \p A, one of its callers, creates once for each of its calls.
/// Uncaptured code would use the values that the object has now, like the
/// graph.
static bool capturesItself(Walk &W, const Frame &F, const Frame &A, LocId Root,
                           const State &S) {
  const FunctionId Home = W.Result.Captures[S.Active.back()].Home;
  const Frame *Own = &F;
  while (Own != &A && Own->Function != Home)
    Own = Own->Parent;
  if (Own == &A || Own->This == None ||
      W.D.root(W.D.pointee(Own->This)) != Root)
    return false;
  const FlowGraph &G = *A.Graph;
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    for (const Op &O : G.Blocks[B].Ops) {
      ExprId Made = O.Kind == OpKind::Assign ? O.Place
                    : O.Kind == OpKind::Call ? O.Object
                                             : None;
      if (Made != None && G.Exprs[Made].Kind == ExprKind::Var &&
          G.Exprs[Made].N == W.D.at(Root).N)
        return loopsAround(G, B).empty(); // its creation is the first use
    }
  return false;
}

/// Visits the values assigned to the object that contains \p L, if it was
/// created only for this work: a local object of a function that captured code
/// calls, or a temporary. The inputs of other objects do not concern their
/// users.
void Inputs::visitLocal(const Frame &F, LocId L, State &S, unsigned Depth,
                        Search &To) {
  const LocNode N = D.at(D.root(L));
  bool Temporary = N.Kind == LocKind::Temp && D.text(N.S) != "heap";
  if ((!Temporary && N.Kind != LocKind::Var) || S.Active.empty())
    return;
  // The root has no earlier call: its variables themselves are the inputs.
  for (const Frame *A = &F; A && (A->Parent || Temporary); A = A->Parent)
    if (A->Function == N.A) {
      if (capturesItself(W, F, *A, D.root(L), S))
        return;
      Expr Root;
      Root.Kind = Temporary ? ExprKind::Temp : ExprKind::Var;
      Root.N = N.N;
      Root.S = D.text(N.S).str();
      llvm::SaveAndRestore<MemberPath> Whole(To.Path, To.in(stepsOf(D, L)));
      visitVariable(*A, Root, S, Depth, To);
      return;
    }
}

/// True if \p Value, an argument of a container's constructor, is a braced
/// initializer list.
static bool isBraceList(const FlowGraph &G, ExprId Value) {
  if (Value == None || G.Exprs[Value].Kind != ExprKind::AddrOf)
    return false;
  const Expr &First = G.Exprs[G.Exprs[Value].A];
  return First.Kind == ExprKind::Elem && First.N &&
         G.Exprs[First.A].Kind == ExprKind::Temp;
}

/// True if \p Value, which the constructor of the container \p Object receives,
/// is a braced initializer list whose elements do not matter for \p Read, a
/// part of the container: their number is constant, and each of them may also
/// be assigned to an element of \p Object.
static bool isListed(const FlowGraph &G, ExprId Object, ExprId Value,
                     llvm::ArrayRef<MemberStep> Read, bool IsTest) {
  if (Value != None && G.Exprs[Value].Kind == ExprKind::Op &&
      G.Exprs[Value].S == "aggregate")
    return isListed(G, Object, G.Exprs[Value].A, Read, IsTest);
  if (Value != None && G.Exprs[Value].Kind == ExprKind::Load &&
      G.Exprs[Object].Kind == ExprKind::Elem)
    return Read.empty() && IsTest &&
           llvm::any_of(G.Blocks, [&](const Block &B) {
             return llvm::any_of(B.Ops, [&](const Op &O) {
               return O.Kind == OpKind::Assign &&
                      O.Place == G.Exprs[Object].A &&
                      isListed(G, O.Place, O.Value, Read, IsTest);
             });
           });
  if (!isBraceList(G, Value))
    return false;
  if (Read.empty())
    return IsTest;
  return Read.front().Member.empty() &&
         llvm::any_of(G.Blocks, [&](const Block &B) {
           return llvm::any_of(B.Ops, [&](const Op &O) {
             return O.Kind == OpKind::Assign &&
                    G.Exprs[O.Place].Kind == ExprKind::Elem &&
                    G.Exprs[O.Place].A == Object;
           });
         });
}

/// Visits the values assigned to the local variable, the parameter, or the
/// temporary \p Root, as far as they concern the path of \p To. \p Whole: the
/// variable itself is read.
void Inputs::visitVariable(const Frame &F, const Expr &Root, State &S,
                           unsigned Depth, Search &To, bool Whole) {
  const FlowGraph &G = *F.Graph;
  const MemberPath Read = To.Path;
  const auto Through = std::exchange(To.Through, Search::Nowhere);
  uint64_t Key = static_cast<uint64_t>(Root.N) << 1 |
                 static_cast<uint64_t>(Root.Kind == ExprKind::Temp);
  Key |= uint64_t(To.Lossy) << 31 | uint64_t(numberOf(Read)) << 32;
  if (!To.Vars.insert({&F, Key}).second)
    return;
  if (Root.Kind == ExprKind::Var && Root.N < G.NumParams && F.Parent &&
      F.CallSite && static_cast<size_t>(Root.N) < F.CallSite->Args.size()) {
    To.Through = Through;
    visitArgument(*F.Parent, F.CallSite->Args[Root.N], S, Depth + 1, To);
  }
  auto Concerns = [&](ExprId Part) -> std::optional<MemberPath> {
    MemberPath Written = stepsOf(G, Part);
    const Expr &E = G.Exprs[Part];
    if (E.Kind != Root.Kind || E.N != Root.N || E.S != Root.S)
      return std::nullopt;
    return restOf(Read, Written);
  };
  unsigned Writes = 0;
  auto Makes = [&](const Op &O) {
    const FunctionInfo &Info = Table.info(O.Callee);
    return Info.IsConstructor || (To.Is == Identity && Info.IsSystem);
  };
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Assign || O.Kind == OpKind::Modify) {
        std::optional<MemberPath> Rest = Concerns(O.Place);
        if (!Rest || isListed(G, O.Place, O.Value, *Rest, To.Is == Test))
          continue;
        To.Through = Through;
        visitPart(F, O.Value, *Rest, S, Depth + 1, To);
        if (To.Is == Identity && (++Writes > 1 || O.Kind == OpKind::Modify))
          visitBranches(F, &B - G.Blocks.data(), S, Depth + 1, To);
      } else if (std::optional<MemberPath> Rest = O.Kind == OpKind::Call &&
                                                          O.Callee != None &&
                                                          O.Object != None
                                                      ? Concerns(O.Object)
                                                      : std::nullopt) {
        if (visitSet(F, O, *Rest, S, Depth + 1, To) || !Makes(O) ||
            (!O.Args.empty() &&
             isListed(G, O.Object, O.Args[0].Value, *Rest, To.Is == Test)))
          continue;
        const FunctionInfo &Info = Table.info(O.Callee);
        std::optional<unsigned> Element =
            Info.IsSystem && llvm::StringRef(Info.Class).ends_with(TupleClass)
                ? elementOf(*Rest)
                : std::nullopt;
        llvm::SaveAndRestore<MemberPath> Whole(To.Path, {});
        for (unsigned I = 0; I < O.Args.size(); ++I)
          if (!Element || *Element >= O.Args.size() || I == *Element)
            visitArgument(F, O.Args[I], S, Depth + 1, To);
      } else if (O.Kind == OpKind::Call && O.Callee != None && Whole) {
        for (unsigned I = 0; I < O.Args.size(); ++I)
          if (const Expr *E =
                  O.Args[I].Value == None ? nullptr : &G.Exprs[O.Args[I].Value];
              E && O.Args[I].Written && E->Kind == ExprKind::AddrOf &&
              Concerns(E->A))
            visitWritten(F, O, I, S, Depth + 1, To);
      }
}

/// Visits the conditions that determine whether \p Block of \p F runs, without
/// intermediate branches.
void Inputs::visitBranches(const Frame &F, unsigned Block, State &S,
                           unsigned Depth, Search &To) {
  const FlowGraph &G = *F.Graph;
  llvm::SaveAndRestore<bool> Loses(To.Lossy, true);
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
  To.Path = stepsOf(D, L);
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

/// Visits the values that \p Made, a call to a small function on an object,
/// assigns to the part \p Path of that object. \returns false if its body is
/// not examined.
bool Inputs::visitSet(const Frame &F, const Op &Made,
                      llvm::ArrayRef<MemberStep> Path, State &S, unsigned Depth,
                      Search &To) {
  const FlowGraph *Body = Table.graph(Made.Callee);
  if (!Body || !To.isSmall(*Body) || Depth > MaxHops ||
      Made.How != Dispatch::Direct || Rel.entryFor(Made.Callee) ||
      Table.info(Made.Callee).IsSystem)
    return false;
  size_t Bound = To.Bound.size();
  Frame &Callee = enter(F, Made, Made.Callee, *Body, S, To);
  visitOwn(Callee, Path, S, Depth, To);
  leave(S, To, Bound);
  return true;
}

/// Visits the values that \p F, a method or a constructor, assigns to the part
/// \p Path of its object.
void Inputs::visitOwn(const Frame &F, llvm::ArrayRef<MemberStep> Path, State &S,
                      unsigned Depth, Search &To) {
  const FlowGraph &G = *F.Graph;
  auto Concerns = [&](ExprId Part) -> std::optional<MemberPath> {
    MemberPath Written = stepsOf(G, Part);
    const Expr &E = G.Exprs[Part];
    if (E.Kind != ExprKind::Deref || G.Exprs[E.A].Kind != ExprKind::This)
      return std::nullopt;
    return restOf(Path, Written);
  };
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops)
      if (O.Kind == OpKind::Assign || O.Kind == OpKind::Modify) {
        if (std::optional<MemberPath> Rest = Concerns(O.Place))
          visitPart(F, O.Value, *Rest, S, Depth + 1, To);
      } else if (O.Kind == OpKind::Call && O.Callee != None &&
                 O.Object != None) {
        std::optional<MemberPath> Rest = Concerns(O.Object);
        if (!Rest || visitSet(F, O, *Rest, S, Depth + 1, To) ||
            !Table.info(O.Callee).IsConstructor)
          continue;
        llvm::SaveAndRestore<MemberPath> Whole(To.Path, {});
        for (const CallArg &A : O.Args)
          visitArgument(F, A, S, Depth + 1, To);
      }
}

} // namespace cudagraph
