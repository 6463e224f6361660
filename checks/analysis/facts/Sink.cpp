//===- Sink.cpp - Where facts go ------------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Sink.h.
//
//===----------------------------------------------------------------------===//

#include "Sink.h"

namespace cudagraph {

bool Sink::isFirm(const Frame &F, CaptureId C, std::vector<ChainStep> *Chain) {
  if (Chain) {
    FunctionId Home = Result.Captures[C].Home;
    for (const Frame *A = &F; A->Function != Home && A->Parent; A = A->Parent)
      Chain->push_back({A->CallSite->Range, A->Parent->Function, A->Function});
    std::reverse(Chain->begin(), Chain->end());
  }
  return isFirmAt(F, C, F.Block);
}

/// The same for \p Block of \p F.
bool Sink::isFirmAt(const Frame &F, CaptureId C, unsigned Block) {
  const CaptureRecord &Record = Result.Captures[C];
  unsigned From = F.Function == Record.Home ? Record.HomeBlock : 0;
  return !F.Uncertain && Shapes.mustReach(F.Graph, From, Block) &&
         isFirmAbove(F, C);
}

/// True if every path from the start of capture \p C passes the call that \p F
/// is. A frame remembers it: asked at each call of a deep chain, it would be
/// found out again for the whole chain.
bool Sink::isFirmAbove(const Frame &F, CaptureId C) {
  if (F.FirmFor != C) {
    bool Home = F.Function == Result.Captures[C].Home;
    F.FirmAbove = Home || !F.Parent || isFirmAt(*F.Parent, C, F.CallBlock);
    F.FirmFor = C;
  }
  return F.FirmAbove;
}

Fact Sink::at(Frame &F, const Op &O, const State &S, CaptureId C) {
  Fact R;
  R.Function = F.Function;
  R.Capture = C;
  R.Range = O.Range;
  R.Firm = isFirm(F, C, &R.Chain);
  R.Order = W.next();
  R.Weakest = S.Failing ? Evidence::FailurePath
              : R.Firm  ? Evidence::EveryPath
                        : Evidence::SomePaths;
  R.OtherThread = S.OtherThread;
  R.Unparsed = S.Unparsed;
  if (S.OtherThread)
    R.restOn(Evidence::OtherThread);
  R.Allowed = O.Allowed || F.Allowed;
  // Of several captures, the strictest forbids.
  R.Mode = Result.Captures[C].Mode;
  for (CaptureId Each : S.Active)
    if (std::optional<catalogue::Mode> M = Result.Captures[Each].Mode;
        M && R.Mode)
      R.Mode = std::min(*R.Mode, *M);
  if (S.ThreadMode >= 0) {
    auto Thread = static_cast<catalogue::Mode>(S.ThreadMode);
    if (R.Mode)
      R.Mode = std::max(*R.Mode, Thread);
    else if (Thread == catalogue::Mode::Relaxed)
      R.Mode = Thread;
  }
  return R;
}

void Sink::record(Fact F) {
  if (F.Allowed || W.isSpent())
    return;
  if (Result.BudgetExceeded)
    F.restOn(Evidence::LimitReached);
  // Of the branches on one value, the first says it all.
  unsigned Place = F.Range.Begin;
  if (const auto *Branch = F.as<FactKind::HostBranch>();
      Branch && Branch->Where.Begin)
    Place = Branch->Where.Begin;
  auto Key = std::tuple(Place, F.Capture, static_cast<unsigned>(F.Kind),
                        F.Callee + F.subject());
  auto [It, New] = FactIndex.try_emplace(Key, Result.Facts.size());
  if (New) {
    Result.Facts.push_back(std::move(F));
    return;
  }
  Fact &Old = Result.Facts[It->second];
  F.Order = std::min(F.Order, Old.Order);
  if (F.sure() > Old.sure() && F.Range.Begin == Old.Range.Begin)
    Old = std::move(F);
}

CaptureId Sink::intern(CaptureRecord R) {
  auto Key = std::tuple(R.Site.Begin, R.BeginCall.Begin, R.Origin, R.Home,
                        R.Mode ? static_cast<unsigned>(*R.Mode) : 9u);
  auto [It, New] = CaptureIds.try_emplace(Key, Result.Captures.size());
  if (New)
    Result.Captures.push_back(std::move(R));
  return It->second;
}

} // namespace cudagraph
