//===- ReplayModel.cpp - Launches of destroyed graphs ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ReplayModel.h.
//
//===----------------------------------------------------------------------===//

#include "ReplayModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

void ReplayModel::after(Call &C, State &S) {
  if (S.OtherThread || S.InCallback)
    return;
  touched(C, S);
  // Work on other streams also runs while a stream captures.
  if (!S.Active.empty() &&
      (!C.HasStream || Streams.memberOf(S, C.Stream, C.PerThread)))
    return;
  switch (C.Api.Does) {
  case Effect::AllocDevice:
  case Effect::AllocAsync:
  case Effect::GraphInstantiate:
    created(C, S);
    break;
  case Effect::GraphDestroy:
    destroyed(C, S);
    break;
  case Effect::GraphLaunch:
    launched(C, S);
    return;
  default:
    break;
  }
  ordered(C, S);
}

/// The place whose contents or address \p C receives as argument \p Role; None
/// if it is unknown, or one of several elements.
LocId ReplayModel::placeOf(const Call &C, State &S, const char *Role) {
  std::optional<unsigned> I = C.indexOf(Role);
  if (!I || *I >= C.O.Args.size() || C.O.Args[*I].Value == None)
    return None;
  const Expr &E = C.F.Graph->Exprs[C.O.Args[*I].Value];
  if (E.Kind != ExprKind::Load)
    return None;
  LocId L = Use.Calls.evalPlace(C.F, E.A, S);
  return L == None || isOfSomeElement(D, L) ? None : L;
}

/// Handles the creation of memory, or of an executable graph.
void ReplayModel::created(const Call &C, State &S) {
  ValueId Out = C.arg("out");
  if (Out == None || D.asInt(Out))
    return;
  LocId At = D.pointee(Out);
  ValueId New = read(D, S, At);
  S.Dropped.erase(keyOfObject(At));
  S.Dropped.erase(keyOfValue(New)); // from an earlier iteration
  if (isOfSomeElement(D, At) || llvm::any_of(S.Mem, [&](const Memory::Item &I) {
        return I.Data == New && I.Key != At;
      }))
    Nodes.Repeated.insert(New);
  Nodes.make(C.F, New);
}

void ReplayModel::destroyed(const Call &C, State &S) {
  ValueId G = held(S, C.arg("graph"));
  llvm::SmallVector<ValueId, 4> Execs;
  auto Add = [&](ValueId V) {
    if (D[V].Kind == ValueKind::Exec && !llvm::is_contained(Execs, V))
      Execs.push_back(V);
  };
  if (G == None)
    return;
  Add(G);
  for (ValueId Each : D.candidates(G))
    Add(Each);
  if (Execs.empty())
    return;
  auto It = llvm::find_if(Ends, [&](const End &Each) {
    return Each.Where.Begin == C.O.Range.Begin && Each.In == C.F.Function &&
           Each.Capture == D[Execs.front()].A;
  });
  unsigned Number = It - Ends.begin();
  if (It == Ends.end())
    Ends.push_back(
        {C.O.Range, C.F.Function, static_cast<CaptureId>(D[Execs.front()].A)});
  for (ValueId Each : Execs)
    S.Dropped.set(keyOfValue(Each), Number << 1 | (Execs.size() > 1));
  if (LocId At = placeOf(C, S, "graph"); At != None)
    S.Dropped.set(keyOfObject(At), Number << 1);
}

/// The end of \p Exec, if it was destroyed on every path.
std::optional<unsigned> ReplayModel::endOf(const State &S, ValueId Exec) const {
  std::optional<unsigned> Data = S.Dropped.lookup(keyOfValue(Exec));
  return Data && !(*Data & 1) ? std::optional(*Data >> 1) : std::nullopt;
}

/// The executable graph that \p V denotes if it is not null; None if it is
/// unknown, or one of several.
ValueId ReplayModel::execOf(ValueId V) const {
  ValueId Result = D[V].Kind == ValueKind::Exec ? V : None;
  if (D.overflowed(V))
    return None;
  for (ValueId Each : D.candidates(V)) {
    if (D.asInt(Each) == 0 || Each == Result)
      continue;
    if (D[Each].Kind != ValueKind::Exec || Result != None)
      return None;
    Result = Each;
  }
  return Result;
}

void ReplayModel::launched(const Call &C, State &S) {
  ValueId G = held(S, C.arg("graph"));
  if (G == None || S.Failing)
    return;
  llvm::SmallVector<ValueId, 3> Names;
  std::optional<unsigned> Gone;
  bool Null = D.asInt(G) == 0;
  overlapsEach(C, S, G);
  if (Null) {
    // It is null because its graph was destroyed.
    if (LocId At = placeOf(C, S, "graph"); At != None)
      if (std::optional<unsigned> Data = S.Dropped.lookup(keyOfObject(At)))
        Gone = *Data >> 1;
  } else if (G = execOf(G); G != None) {
    Names.push_back(G);
    Gone = endOf(S, G);
  }
  if (!Gone) {
    Alive.insert(pathTo(C));
    return overlaps(C, S, G);
  }
  Fact R = factOf(Use, C, S, Ends[*Gone].Capture);
  R.Firm = false;
  R.Weakest = Evidence::SomePaths;
  auto &Details = R.become<FactKind::Destroyed>();
  Details.Where = Ends[*Gone].Where;
  Details.In = Ends[*Gone].In;
  Details.Cleared = Null;
  Found.push_back({std::move(R), Names, pathTo(C)});
}

ReplayModel::Path ReplayModel::pathTo(const Call &C) {
  Path Result{C.O.Range.Begin};
  for (const Frame *A = &C.F; A; A = A->Parent)
    if (A->CallSite)
      Result.push_back(A->CallSite->Range.Begin);
  return Result;
}

void ReplayModel::conclude() {
  // One shared address is sufficient for each launch.
  std::set<std::pair<unsigned, CaptureId>> Overlapping;
  for (Pending &Each : Found)
    // If the graph also exists there in some state, a lost condition may
    // exclude the state in which it does not.
    if (!Alive.count(Each.By) &&
        (Each.Each == None || Nodes.Repeated.contains(Each.Each)) &&
        llvm::none_of(Each.Names,
                      [&](ValueId V) { return Nodes.Repeated.contains(V); }) &&
        (Each.What.Kind != FactKind::Overlaps ||
         Overlapping.insert({Each.What.Range.Begin, Each.What.Capture}).second))
      Facts.record(std::move(Each.What));
}

} // namespace cudagraph
