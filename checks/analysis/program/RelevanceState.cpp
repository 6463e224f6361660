//===- RelevanceState.cpp - Changes of state between replays --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each member and global: the functions that set it, the functions that
// free and replace its target, where the device writes to it, and whether
// capturing functions test it first. For each function: whether graphs are
// unchanged after it has run.
//
//===----------------------------------------------------------------------===//

#include "Relevance.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <set>

namespace cudagraph {

using catalogue::Effect;

/// The name under which writes to \p Place are collected: the last member, or
/// the global itself.
const std::string *writeKey(const FlowGraph &G, ExprId Place) {
  const Expr &E = G.Exprs[Place];
  if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global)
    return &E.S;
  if (E.Kind == ExprKind::Elem)
    return writeKey(G, E.A);
  return nullptr;
}

bool Relevance::begins(const Op &O) const {
  if (O.Kind != OpKind::Call || O.Callee == None)
    return false;
  if (const catalogue::Entry *E = entryFor(O.Callee))
    return E->Does == Effect::CaptureBegin;
  llvm::SmallVector<FunctionId, 4> Callees{O.Callee};
  for (size_t I = 0; I < Callees.size(); ++I) {
    if (Table.hasGraph(Callees[I]) && bits(Callees[I]) & Begins)
      return true;
    if (O.How == Dispatch::Virtual)
      for (FunctionId Over : Table.info(Callees[I]).Overrides)
        if (!llvm::is_contained(Callees, Over))
          Callees.push_back(Over);
  }
  return false;
}

bool isOwnGraph(const Relevance &R, const FlowGraph &G, const Op &O,
                const catalogue::Entry &E) {
  auto Arg = [](const Op &Call, const catalogue::Entry &Api, const char *Role) {
    std::optional<int> I = Api.arg(Role, Call.Args.size());
    const CallArg *A = I ? Call.arg(*I) : nullptr;
    return A ? A->Value : None;
  };
  ExprId Graph = Arg(O, E, "graph");
  if (Graph == None || G.Exprs[Graph].Kind != ExprKind::Load)
    return false;
  ExprId Var = G.Exprs[Graph].A;
  if (G.Exprs[Var].Kind != ExprKind::Var || G.Exprs[Var].N < G.NumParams ||
      G.Vars[G.Exprs[Var].N].IsStatic)
    return false;
  bool Made = false, Other = false;
  for (const Block &B : G.Blocks)
    for (const Op &X : B.Ops) {
      Other |= X.Kind == OpKind::Assign && X.Place == Var &&
               G.Exprs[X.Value].Kind != ExprKind::Int;
      if (X.Kind != OpKind::Call || X.Callee == None)
        continue;
      const catalogue::Entry *Api = R.entryFor(X.Callee);
      ExprId Out = Api && Api->Does == Effect::GraphInstantiate
                       ? Arg(X, *Api, "out")
                       : None;
      Made |= Out != None && G.Exprs[Out].Kind == ExprKind::AddrOf &&
              G.Exprs[Out].A == Var;
    }
  return Made && !Other;
}

std::vector<FunctionId> Relevance::overridersOf(FunctionId F) const {
  std::vector<FunctionId> Result = Table.info(F).Overrides;
  for (size_t I = 0; I < Result.size(); ++I)
    for (FunctionId Over : Table.info(Result[I]).Overrides)
      if (!llvm::is_contained(Result, Over))
        Result.push_back(Over);
  return Result;
}

bool Relevance::isConstruction(FunctionId F) const {
  const FunctionInfo &Info = Table.info(F);
  return Info.IsConstructor || Info.IsDestructor ||
         rolesOf(F).has(catalogue::Role::Construction);
}

/// The callees of \p G after which it launches a graph, and drops graphs only
/// after its last launch, as programs do before they end.
static llvm::DenseSet<FunctionId> launchedAfter(const Relevance &Rel,
                                                const FlowGraph &G) {
  auto Has = [&](const Op &O, uint16_t Bit) {
    if (O.Kind != OpKind::Call || O.Callee == None)
      return false;
    const catalogue::Entry *E = Rel.entryFor(O.Callee);
    if (!E)
      return (Rel.bits(O.Callee) & Bit) != 0;
    return Bit == Relevance::Drops ? E->Does == Effect::GraphDestroy ||
                                         E->Does == Effect::GraphUpdate
                                   : E->Does == Effect::GraphLaunch;
  };
  // Whether a launch follows the start of a block, and whether a graph is
  // dropped there before a launch.
  llvm::BitVector Launched(G.Blocks.size()), Dropped(G.Blocks.size());
  llvm::DenseSet<FunctionId> Found;
  auto Visit = [&](unsigned Index, bool Record) {
    const Block &B = G.Blocks[Index];
    bool Launch = false, Drop = false;
    for (const Edge &E : B.Succs) {
      Launch |= Launched.test(E.To);
      Drop |= Dropped.test(E.To);
    }
    for (const Op &O : llvm::reverse(B.Ops)) {
      if (Record && O.Kind == OpKind::Call && O.Callee != None && Launch &&
          !Drop)
        Found.insert(O.Callee);
      if (Has(O, Relevance::Drops))
        Drop |= Launch;
      else
        Launch |= Has(O, Relevance::Launches);
    }
    bool Changes =
        Launch != Launched.test(Index) || Drop != Dropped.test(Index);
    Launched[Index] = Launch;
    Dropped[Index] = Drop;
    return Changes;
  };
  for (bool Changes = true; Changes;) {
    Changes = false;
    for (unsigned B = G.Blocks.size(); B-- > 0;)
      Changes |= Visit(B, /*Record=*/false);
  }
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    Visit(B, /*Record=*/true);
  return Found;
}

bool Relevance::keepsGraphs(FunctionId F) const {
  if (isConstruction(F) || bits(F) & (Begins | Drops))
    return false;
  llvm::SmallVector<FunctionId, 8> All;
  llvm::append_range(All, callersOf(F));
  // For an inline function that one unit defines and does not call, the callers
  // of another unit's definition.
  if (All.empty())
    for (FunctionId Same : Table.definitionsOf(F))
      llvm::append_range(All, callersOf(Same));
  auto Calls = [&](FunctionId C) { return Direct.contains({C, F}); };
  // Storing a callable is not a call.
  bool Stored = StoredCallables.contains(F);
  if (All.empty() || (Stored && llvm::none_of(All, Calls)))
    return true;
  auto StillLaunches = [&](FunctionId C) {
    auto [It, New] = LaunchedAfter.try_emplace(C);
    if (const FlowGraph *G = New ? Table.graph(C) : nullptr)
      It->second = launchedAfter(*this, *G);
    return It->second.contains(F);
  };
  return llvm::any_of(All, [&](FunctionId C) {
    return !isConstruction(C) && (!(bits(C) & Drops) || StillLaunches(C)) &&
           (!Stored || Calls(C));
  });
}

/// The member or global whose address is the argument \p E, or that contains
/// the address, in which case \p Through is set.
const std::string *namedBy(const FlowGraph &G, ExprId E, bool &Through) {
  const Expr &X = G.Exprs[E];
  Through = X.Kind == ExprKind::Load;
  if (X.Kind == ExprKind::Load)
    return writeKey(G, X.A);
  if (X.Kind != ExprKind::AddrOf)
    return nullptr;
  if (G.Exprs[X.A].Kind == ExprKind::PtrElem) {
    bool Inner = false;
    const std::string *Key = namedBy(G, G.Exprs[X.A].A, Inner);
    Through = true;
    return Key;
  }
  return writeKey(G, X.A);
}

void Relevance::StateOf::noteUpdated() {
  for (const Expr &E : G.Exprs)
    if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global)
      R.Writes[E.S].Updated = true;
}

void Relevance::StateOf::noteParts(const Op &O, bool Made) {
  if (Made || (O.ConstValue && O.Kind == OpKind::Assign) || O.Once ||
      !O.Range.Begin)
    return;
  bool Whole = true;
  ExprId P = O.Place;
  for (;; P = G.Exprs[P].A) {
    const Expr &E = G.Exprs[P];
    bool Named = E.Kind == ExprKind::Field || E.Kind == ExprKind::Global;
    if (Named && !Whole && !isSynthetic(E.S))
      R.Writes[E.S].Parts.push_back({F, O.Range});
    Whole &= E.Kind == ExprKind::Elem;
    // A container's elements are not part of it.
    if (E.Kind != ExprKind::Field && !(E.Kind == ExprKind::Elem && E.N))
      break;
  }
  if (!Whole && G.Exprs[P].Kind == ExprKind::Deref &&
      G.Exprs[G.Exprs[P].A].Kind == ExprKind::This)
    R.OwnWrites.try_emplace(F, O.Range);
}

void Relevance::StateOf::noteChange(const Op &O) {
  bool Through = false;
  if (O.Object != None && O.Callee != None)
    if (const std::string *Key = writeKey(G, O.Object)) {
      R.Writes[*Key].Calls.push_back({F, O.Callee, O.Range});
    }
  const catalogue::Entry *E = O.Callee == None ? nullptr : R.entryFor(O.Callee);
  if (!E)
    return;
  auto Arg = [&](const char *Role) -> ExprId {
    std::optional<int> I = E->arg(Role, O.Args.size());
    if (I && *I < 0)
      return O.Object;
    return I && static_cast<size_t>(*I) < O.Args.size() ? O.Args[*I].Value
                                                        : None;
  };
  // A device address of memory that the host can also access.
  if (ExprId Of = Arg("ptr");
      Of != None && E->Does == Effect::Neutral && Arg("out") != None)
    if (const std::string *Key = namedBy(G, Of, Through); Key && Through)
      R.Writes[*Key].DeviceTarget = {F, O.Range};
  if (ExprId Out = Arg("shared"); Out != None)
    if (const std::string *Key = namedBy(G, Out, Through); Key && !Through)
      R.Writes[*Key].DeviceTarget = {F, O.Range};
  if (E->Does == Effect::CopyAsync || E->Does == Effect::CopySync) {
    ExprId Kind = Arg("kind"), Dst = Arg("dst");
    bool ToHost =
        E->Direction == "d2h" ||
        (Kind != None && G.Exprs[Kind].Kind == ExprKind::Int &&
         R.Catalogue.isValue(catalogue::Role::CopiesToHost, G.Exprs[Kind].N));
    if (ToHost && Dst != None)
      if (const std::string *Key = namedBy(G, Dst, Through)) {
        WriteSummary &W = R.Writes[*Key];
        (Through ? W.DeviceTarget : W.DeviceCopy) = {F, O.Range};
      }
  }
  if (ExprId Kind = Arg("kind"); Kind != None &&
                                 E->Does == Effect::LibraryHandle &&
                                 G.Exprs[Kind].Kind == ExprKind::Int)
    if (const std::string *Key = namedBy(G, Arg("out"), Through);
        Key && !Through)
      R.Writes[*Key].Generator = G.Exprs[Kind].N;
  // Elements are removed.
  if (ExprId From = Arg("removes"); From != None)
    if (const std::string *Key = writeKey(G, From))
      R.Writes[*Key].Setters.push_back({F, O.Range});
  ExprId Container = Arg("storage");
  const std::string *Key = Container == None ? nullptr : writeKey(G, Container);
  if (Key && Arg("room") != None)
    R.Writes[*Key].Reservers.push_back(F);
  else if (Key)
    R.Writes[*Key].Growers.push_back({F, O.Range,
                                      !E->has(catalogue::Trait::Replaces),
                                      E->has(catalogue::Trait::Replaces)});
}

} // namespace cudagraph
