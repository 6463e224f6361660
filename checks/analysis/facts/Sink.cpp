//===- Sink.cpp - Collects facts ------------------------------------------===//
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

/// The index of \p O, or of its replacement, in \p B; the number of operations
/// if it is not there.
static size_t indexOf(const Block &B, const Op &O) {
  for (size_t I = 0; I < B.Ops.size(); ++I)
    if (&B.Ops[I] == &O)
      return I;
  for (size_t I = 0; I < B.Ops.size(); ++I)
    if (B.Ops[I].Kind == O.Kind && B.Ops[I].Range.Begin == O.Range.Begin)
      return I;
  return B.Ops.size();
}

void Sink::noteEnded(const Frame &F, const Op &O, CaptureId C) {
  Ends[{C, F.Function}].insert({F.Block, indexOf(F.Graph->Blocks[F.Block], O)});
}

/// \p Current: the operation that \p F executes, or the call that it makes.
Sink::Place Sink::placeOf(const Frame &F, const Op &Current,
                          CaptureId C) const {
  const CaptureRecord &R = Result.Captures[C];
  Place P;
  P.At = indexOf(F.Graph->Blocks[F.Block], Current);
  if (F.Function != R.Home)
    return P;
  P.From = R.HomeBlock;
  const Block &Start = F.Graph->Blocks[P.From];
  for (size_t I = 0; I < Start.Ops.size(); ++I)
    if (Start.Ops[I].Kind == OpKind::Call &&
        Start.Ops[I].Range.Begin == R.Site.Begin)
      P.Begin = I;
  P.Again = F.Block == P.From && P.At <= P.Begin && P.At < Start.Ops.size();
  return P;
}

/// True if the walk has returned to the start of capture \p C: the loop may
/// have had only one iteration.
bool Sink::startsAgain(const Frame &F, const Op &Current, CaptureId C) const {
  FunctionId Home = Result.Captures[C].Home;
  const Op *Here = &Current;
  for (const Frame *A = &F; A; Here = A->CallSite, A = A->Parent)
    if (A->Function == Home) {
      Place P = placeOf(*A, *Here, C);
      // The call that begins the capture has not returned yet.
      bool Within = A != &F && P.At == P.Begin;
      return !isAssumed(Result.Captures[C].Root) && P.Again && !Within;
    }
  return false;
}

/// True if some path from the start of capture \p C to \p Current passes an
/// operation that has ended it. The capture can then be active only under an
/// undecidable condition, which may also exclude \p Current.
bool Sink::mayHaveEnded(const Frame &F, const Op &Current, CaptureId C) {
  const Op *Here = &Current;
  for (const Frame *A = &F; A; Here = A->CallSite, A = A->Parent) {
    if (auto It = Ends.find({C, A->Function}); It != Ends.end()) {
      Place P = placeOf(*A, *Here, C);
      bool Home = A->Function == Result.Captures[C].Home;
      if (Home && A != &F && P.At == P.Begin)
        return false; // the call that begins the capture has not returned yet
      // Each iteration begins a capture: one iteration that does not end it is
      // sufficient.
      if (P.Again && Shapes.passesEachRound(A->Graph, A->Block))
        return false;
      for (auto [Block, Index] : It->second) {
        bool Here = Block == A->Block && Index < P.At && !P.Again;
        bool Before = Home && Block == P.From && Index <= P.Begin;
        // The capture that one iteration of a loop begins ends in another
        // iteration.
        if (Before && Index == P.Begin && !P.Again)
          return true;
        if (Here ? !Before
                 : !(Block == A->Block && Index >= P.At) && !Before &&
                       Shapes.mayPass(*A->Graph, P.From, Block, A->Block))
          return true;
      }
    }
    if (A->Function == Result.Captures[C].Home)
      return false;
  }
  return false;
}

bool Sink::isFirmAt(const Frame &F, CaptureId C, unsigned Block) {
  const CaptureRecord &Record = Result.Captures[C];
  unsigned From = F.Function == Record.Home ? Record.HomeBlock : 0;
  return !F.Uncertain && Shapes.mustReach(F.Graph, From, Block) &&
         isFirmAbove(F, C);
}

/// True if every path from the start of capture \p C passes the call of \p F. A
/// frame caches the result: otherwise it would be computed again for the whole
/// chain at each call in a deep chain.
bool Sink::isFirmAbove(const Frame &F, CaptureId C) {
  if (F.FirmFor != C) {
    bool Home = F.Function == Result.Captures[C].Home;
    F.FirmAbove = Home || !F.Parent || isFirmAt(*F.Parent, C, F.CallBlock);
    F.FirmFor = C;
  }
  return F.FirmAbove;
}

Fact Sink::at(const Frame &F, const Op &O, const State &S, CaptureId C) {
  Fact R;
  R.Function = F.Function;
  R.Capture = C;
  R.Range = O.Range;
  R.Firm = isFirm(F, C, &R.Chain) && !startsAgain(F, O, C);
  R.Order = W.next();
  R.Weakest = S.Failing ? Evidence::FailurePath
              : R.Firm  ? Evidence::EveryPath
                        : Evidence::SomePaths;
  if (mayHaveEnded(F, O, C)) {
    R.Firm = false;
    R.restOn(Evidence::EndsOnPath);
  }
  if (!S.Guards.empty())
    R.restOn(Evidence::OwnRecords);
  if (!R.Firm && isExcluded(F, C))
    R.restOn(Evidence::SearchedBefore);
  if (!R.Firm) {
    R.Unless = unless(F, C);
    if (mayBeStored(F, C, /*OnSamePath=*/true))
      R.restOn(Evidence::WarmUpPossible);
  }
  R.OtherThread = S.OtherThread;
  R.Unparsed = S.Unparsed;
  if (S.OtherThread)
    R.restOn(S.PerhapsLater ? Evidence::SharedQueue : Evidence::OtherThread);
  R.Allowed = O.Allowed || F.Allowed;
  // The strictest of several captures determines the outcome.
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

std::string Sink::unless(const Frame &F, CaptureId C) {
  RootKind Root = Result.Captures[C].Root;
  if (Root != RootKind::TorchOps && Root != RootKind::EntryPoints)
    return "";
  return Tests.unless(F);
}

void Sink::record(Fact F) {
  if (F.Allowed || W.isSpent())
    return;
  if (Result.BudgetExceeded)
    F.restOn(Evidence::LimitReached);
  // The first of several branches on one value is sufficient.
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
  F.Advice &= Old.Advice;
  Old.Advice &= F.Advice;
  // Another path also leads there.
  if (F.Unless != Old.Unless)
    F.Unless = Old.Unless = "";
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
