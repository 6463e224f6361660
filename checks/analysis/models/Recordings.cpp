//===- Recordings.cpp - Host state that belongs to a recording ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A container may change during a capture because the graph is created then. It
// may keep alive the objects that nodes use, be reset by each capture, or be
// emptied by a captured loop that records the work for each element. A counter
// in a container is treated differently if uncaptured code reads it. See
// HostModel.h.
//
//===----------------------------------------------------------------------===//

#include "HostModel.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// True if \p C adds a local object with a destructor, or an owner: an object
/// that manages another.
static bool addsObject(const Call &C) {
  const FlowGraph &G = *C.F.Graph;
  const CallArg *A = C.O.arg(0);
  if (!A || A->Value == None || G.Exprs[A->Value].Kind != ExprKind::AddrOf)
    return false;
  ExprId Place = G.Exprs[A->Value].A;
  const Expr &E = G.Exprs[Place];
  if (E.Kind == ExprKind::Var && static_cast<size_t>(E.N) < G.Vars.size() &&
      (G.Vars[E.N].SharesObject || G.Vars[E.N].OwnsDevice ||
       G.Vars[E.N].OwnsElements))
    return true;
  return (E.Kind == ExprKind::Var || E.Kind == ExprKind::Temp) &&
         llvm::any_of(G.Blocks, [&](const Block &B) {
           return llvm::any_of(B.Ops, [&](const Op &O) {
             return O.Kind == OpKind::Call && O.Object == Place && O.Implicit;
           });
         });
}

/// True if \p F reads elements of the container \p Name.
bool HostModel::readsElements(FunctionId F, llvm::StringRef Name) const {
  const FlowGraph *G = Table.graph(F);
  return G && llvm::any_of(G->Exprs, [&](const Expr &E) {
           bool Reads = E.Kind == ExprKind::Load || E.Kind == ExprKind::AddrOf;
           ExprId Place = Reads ? E.A : None;
           while (Place != None && (G->Exprs[Place].Kind == ExprKind::Elem ||
                                    G->Exprs[Place].Kind == ExprKind::PtrElem))
             Place = G->Exprs[Place].A;
           const std::string *Key =
               Place == None ? nullptr : writeKey(*G, Place);
           return Key && *Key == Name;
         });
}

/// True if \p C adds to the container at \p L, and other code only adds and
/// removes elements, or releases them in a destructor. Such a container keeps
/// alive the objects that nodes use.
bool HostModel::isOnlyStored(const Call &C, LocId L) const {
  const LocNode N = D.at(L);
  if (C.arg("adds") == None && C.arg("storage") == None)
    return false;
  const WriteSummary *Writes =
      N.Kind == LocKind::Field || N.Kind == LocKind::Global
          ? Rel.writes(D.text(N.S))
          : nullptr;
  if (!Writes)
    return false;
  auto Releases = [&](FunctionId F) { return Table.info(F).IsDestructor; };
  auto Drops = [&](FunctionId F) {
    return Rel.isConstruction(F) || Releases(F) ||
           (Rel.bits(F) & Relevance::Drops);
  };
  // Each function that ends the container's object contains the destructor of
  // the container.
  bool Released = llvm::any_of(Writes->Calls, [&](const WriteSummary::Use &U) {
    return Releases(U.In) && readsElements(U.In, D.text(N.S));
  });
  return (addsObject(C) || Released) && llvm::all_of(Writes->Readers, Drops) &&
         llvm::all_of(Writes->Calls, [&](const WriteSummary::Use &U) {
           const catalogue::Entry *E = Rel.entryFor(U.Callee);
           return (E && (E->Does == Effect::HostMutate || E->arg("room"))) ||
                  Table.info(U.Callee).IsDestructor ||
                  Table.info(U.Callee).IsConstructor || Drops(U.In);
         });
}

/// True if the capturing function empties \p L on each path to the begin call.
bool HostModel::startsOver(const State &S, LocId L) {
  const LocNode N = D.at(L);
  if (N.Kind != LocKind::Field && N.Kind != LocKind::Global)
    return false;
  const CaptureRecord &R = Result.Captures[S.Active.back()];
  const FlowGraph *G = Table.graph(R.Home);
  if (!G)
    return false;
  for (unsigned B = 0; B < G->Blocks.size(); ++B)
    for (const Op &O : G->Blocks[B].Ops) {
      if (B == R.HomeBlock && Rel.begins(O))
        return false;
      const std::string *Key = nullptr;
      if (O.Kind == OpKind::Assign && O.ConstValue)
        Key = writeKey(*G, O.Place);
      else if (O.Kind == OpKind::Call && O.Callee != None && O.Object != None &&
               O.Args.empty())
        if (const catalogue::Entry *E = Rel.entryFor(O.Callee);
            E && E->Does == Effect::HostMutate && !E->arg("removes"))
          Key = writeKey(*G, O.Object);
      if (Key && *Key == D.text(N.S) && Shapes.mustReach(G, B, R.HomeBlock))
        return true;
    }
  return false;
}

/// True if \p C removes elements from the container at \p L in a captured loop
/// that continues until the container is empty.
bool HostModel::isDrained(const Call &C, State &S, LocId L) {
  if (C.arg("adds") != None || C.arg("storage") != None)
    return false;
  const CaptureRecord &R = Result.Captures[S.Active.back()];
  for (const Frame *A = &C.F; A; A = A->Parent) {
    bool Home = A->Function == R.Home;
    for (const LoopRange &Loop : loopsAround(*A->Graph, A->Block)) {
      if (Home && Loop.Head <= R.HomeBlock && R.HomeBlock <= Loop.Last)
        break; // the region is within this loop
      ExprId Cond = A->Graph->Blocks[Loop.Head].Cond;
      if (Cond != None && llvm::any_of(Sources.of(*A, Cond, S, Inputs::Test),
                                       [&](const Inputs::Input &I) {
                                         return overlap(D, I.Place, L);
                                       }))
        return true;
    }
    if (Home)
      break;
  }
  return false;
}

/// Handles \p O, which adds to the element \p L. This matters if uncaptured
/// code reads the count.
void HostModel::noteCounted(Frame &F, const Op &O, const State &S, LocId L) {
  const Expr *Step = O.Value == None ? nullptr : &F.Graph->Exprs[O.Value];
  bool Adds = Step && Step->Kind == ExprKind::Op && Step->B != None &&
              (Step->S == "+" || Step->S == "-");
  while (D.at(L).Kind == LocKind::Elem)
    L = D.at(L).A;
  const LocNode N = D.at(L);
  if (!Adds || (N.Kind != LocKind::Field && N.Kind != LocKind::Global) ||
      isRecord(L) || startsOver(S, L) || isOwnTemporary(D, F, L) ||
      isInAllocator(W, F, Result.Captures[S.Active.back()]) ||
      Shapes.knowsOfCapture(F.Function, F.Block) ||
      isLaterStep(W, F, Result.Captures[S.Active.back()]))
    return;
  Fact R = Facts.at(F, O, S, S.Active.back());
  if (R.Chain.size() > 3)
    return;
  auto &Change = R.become<FactKind::HostWrite>();
  Change.Counter = D.text(N.S).str();
  Change.Variable = W.nameOf(L);
  R.restOn(Evidence::Bookkeeping);
  Facts.Later.Counting.push_back(std::move(R));
}

} // namespace cudagraph
