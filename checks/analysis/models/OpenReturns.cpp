//===- OpenReturns.cpp - Returns that leave a capture open ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that ends a capture on some paths leaks it on those that leave
// before; and a wrapper's capture is its caller's.
//
//===----------------------------------------------------------------------===//

#include "CaptureModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Cell;
using catalogue::StreamRelation;

/// Looks at the path that a failed call takes, which is not walked: calls
/// succeed. A return there leaves the capture open, unless the call was the
/// begin itself, or something on the way ends it.
void CaptureModel::noteFailureExit(Frame &F, const State &S, ValueId Cond,
                                   unsigned To) {
  if (S.Active.empty() || S.Failing)
    return;
  int64_t Begin = Result.Captures[S.Active.back()].BeginResult;
  bool OfBegin = false;
  D.visitTree(Cond, [&](ValueId V) {
    OfBegin |= D[V].Kind == ValueKind::Status && D[V].N == Begin;
  });
  for (unsigned Guard = 0; Guard < 8 && !OfBegin; ++Guard) {
    const Block &B = F.Graph->Blocks[To];
    if (B.NeverReturns)
      return;
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::Return)
        return noteOpenReturn(F, O, S, /*Unwalked=*/true);
      if (O.Kind != OpKind::Call || O.Callee == None)
        continue;
      const catalogue::Entry *E = Rel.entryFor(O.Callee);
      if ((E && E->Does == catalogue::Effect::CaptureEnd) ||
          (Rel.bits(O.Callee) & Relevance::Ends))
        return;
    }
    if (B.Succs.size() != 1)
      return;
    To = B.Succs.front().To;
  }
}

void CaptureModel::noteOpenReturn(Frame &F, const Op &O, const State &S,
                                  bool Unwalked) {
  if (S.Active.empty() || S.OtherThread || !F.Left || !O.Range.Begin)
    return;
  CaptureId C = S.Active.back();
  const CaptureRecord &R = Result.Captures[C];
  // Where the begin returned one particular error, there is no capture.
  if (llvm::any_of(S.Equal, [&](const FactMap::Item &I) {
        const ValueNode Key = D[I.Key];
        return Key.Kind == ValueKind::Status && Key.N == R.BeginResult &&
               D.asInt(I.Data) != 0;
      }))
    return;
  if (R.BeginIn != F.Function || R.Home != F.Function ||
      (R.Root != RootKind::ApiPair && R.Root != RootKind::Libtorch))
    return;
  Fact Leak = Facts.at(F, O, S, C);
  Leak.Callee = R.BeginName;
  auto &Return = Leak.become<FactKind::OpenEnd>();
  Return.Unwalked = Unwalked;
  Return.Keyword = O.Kind == OpKind::Return ? "return" : "throw";
  Leak.Weakest = Table.site(O.Range).InMacro ? Evidence::ReturnInMacro
                                             : Evidence::WrittenReturn;
  Situation Where;
  Where.Relation = StreamRelation::Origin;
  for (Cell &Each : Where.ByMode)
    Each = {Cell::Error, 900, false};
  Return.Situations.push_back(Where);
  F.Left->Open.push_back(std::move(Leak));
}

void CaptureModel::reroot(const Frame &F, const Op &O, const State &Before,
                          State &After) {
  for (CaptureId &C : After.Active) {
    if (llvm::is_contained(Before.Active, C))
      continue;
    CaptureRecord R = Result.Captures[C];
    if (R.Home == F.Function && R.Site.Begin == O.Range.Begin)
      continue;
    R.Home = F.Function;
    R.HomeBlock = F.Block;
    R.Site = O.Range;
    R.Ends.clear();
    R.Timeline.clear();
    if (R.Root == RootKind::ApiPair || R.Root == RootKind::Libtorch)
      R.Root = RootKind::Wrapper;
    CaptureId Outer = Facts.intern(std::move(R));
    Result.Superseded.push_back({C, Outer});
    Use.Times.inherit(C, Outer);
    for (const FactMap::Item &I : FactMap(After.Streams))
      if (Member M = Member::decode(I.Data); M.Capture == C) {
        M.Capture = Outer;
        After.Streams.set(I.Key, M.encode());
      }
    for (const FactMap::Item &I : FactMap(After.Events))
      if (Recorded At = Recorded::decode(I.Data); At.Capture == C) {
        At.Capture = Outer;
        After.Events.set(I.Key, At.encode());
      }
    if (std::optional<unsigned> Broken = After.Broken.lookup(C)) {
      After.Broken.set(Outer, *Broken);
      After.Broken.erase(C);
    }
    C = Outer;
  }
}

} // namespace cudagraph
