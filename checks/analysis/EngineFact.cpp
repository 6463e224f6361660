//===- EngineFact.cpp - Where a fact stands -------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts carry the calls that lead from the region to them, how sure that way
// is, and the mode that holds there. Writes to host state become facts here.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if the object at \p L exists before and after the region and is not
/// merely passed through: a global, or the object that captures. Allocators,
/// caches and iterators deeper down keep their own books.
bool Engine::isRegionState(const Frame &F, const State &S, LocId L) {
  LocId Root = D.root(L);
  if (D.at(Root).Kind == LocKind::Global)
    return true;
  const CaptureRecord &Record = Result.Captures[S.Active.back()];
  auto Owns = [&](ValueId Origin) {
    return D[Origin].Kind == ValueKind::Init && D.root(D[Origin].A) == Root &&
           D[Origin].A != Root;
  };
  if (Owns(Record.Origin))
    return true;
  for (const Memory::Item &I : S.Mem)
    if (I.Data == Record.Origin && I.Key != Root && D.root(I.Key) == Root)
      return true;
  for (const Frame *A = &F; A; A = A->Parent)
    if (A->Function == Record.Home)
      return A->This != None && D.root(D.pointee(A->This)) == Root;
  return false;
}

/// Records changes to host state that outlives the region. Local variables and
/// objects made on the way are bookkeeping.
void Engine::noteWrite(Frame &F, const Op &O, const State &S, LocId L) {
  if (S.Active.empty() || S.Failing || S.InCallback ||
      O.Kind != OpKind::Modify || O.Implicit)
    return;
  const LocNode Root = D.at(D.root(L));
  bool Member = D.at(L).Kind == LocKind::Field;
  bool Outlives =
      Root.Kind == LocKind::Global ||
      (Member && (Root.Kind == LocKind::Pointee || Root.Kind == LocKind::Var ||
                  Root.Kind == LocKind::Temp));
  if (!Outlives || D.at(L).Kind == LocKind::Elem)
    return;
  bool Sure = isRegionState(F, S, L);
  if (!Sure && Root.Kind != LocKind::Pointee)
    return; // a local object's own business
  Fact Result = factAt(F, O, S, S.Active.back());
  Result.Kind = FactKind::HostWrite;
  llvm::StringRef Name = D.text(D.at(L).S);
  Result.What = Name.substr(Name.rfind(':') + 1).str();
  // Far from the region, a counter is somebody else's business.
  Sure &=
      Result.Chain.size() <= 2 && !Shapes.knowsOfCapture(F.Function, F.Block);
  Result.Sure =
      std::min(Result.Sure, Sure ? Confidence::Likely : Confidence::Possible);
  // A count is somebody's business who reads it where nothing captures.
  const Expr *Step = O.Value == None ? nullptr : &F.Graph->Exprs[O.Value];
  bool Counts = !Sure && Result.Chain.size() <= 3 && Step &&
                Step->Kind == ExprKind::Op && Step->B != None &&
                F.Graph->Exprs[Step->B].Kind == ExprKind::Int;
  if (!Counts)
    return record(std::move(Result));
  Result.Object = Name.str();
  Counting.push_back(std::move(Result));
}

/// True if every path from the start of capture \p C passes the current block;
/// fills \p Chain with the calls between, outermost first.
bool Engine::isFirm(const Frame &F, CaptureId C,
                    std::vector<ChainStep> *Chain) {
  if (Chain) {
    FunctionId Home = Result.Captures[C].Home;
    for (const Frame *A = &F; A->Function != Home && A->Parent; A = A->Parent)
      Chain->push_back({A->CallSite->Range, A->Parent->Function, A->Function});
    std::reverse(Chain->begin(), Chain->end());
  }
  return isFirmAt(F, C, F.Block);
}

/// The same for \p Block of \p F.
bool Engine::isFirmAt(const Frame &F, CaptureId C, unsigned Block) {
  const CaptureRecord &Record = Result.Captures[C];
  unsigned From = F.Function == Record.Home ? Record.HomeBlock : 0;
  return !F.Uncertain && Shapes.mustReach(F.Graph, From, Block) &&
         isFirmAbove(F, C);
}

/// True if every path from the start of capture \p C passes the call that \p F
/// is. A frame remembers it: asked at each call of a deep chain, it would be
/// found out again for the whole chain.
bool Engine::isFirmAbove(const Frame &F, CaptureId C) {
  if (F.FirmFor != C) {
    bool Home = F.Function == Result.Captures[C].Home;
    F.FirmAbove = Home || !F.Parent || isFirmAt(*F.Parent, C, F.CallBlock);
    F.FirmFor = C;
  }
  return F.FirmAbove;
}

Fact Engine::factAt(Frame &F, const Op &O, const State &S, CaptureId C) {
  Fact R;
  R.Function = F.Function;
  R.Capture = C;
  R.Range = O.Range;
  R.Name = O.Name;
  R.CloseParen = O.CloseParen;
  for (const CallArg &A : O.Args)
    if (A.Range.Begin)
      R.Args.push_back(A.Range);
  bool Firm = R.Firm = isFirm(F, C, &R.Chain);
  R.Order = ++Order;
  R.Sure = S.Failing ? Confidence::Possible
           : Firm    ? Confidence::Certain
                     : Confidence::Likely;
  R.OtherThread = S.OtherThread;
  R.Unparsed = S.Unparsed;
  // When another thread gets there, nobody knows.
  if (S.OtherThread)
    R.Sure = std::min(R.Sure, Confidence::Likely);
  R.Allowed = O.Allowed || F.Allowed;
  R.Once = O.Once || F.Once;
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

void Engine::record(Fact F) {
  if (F.Allowed || isSpent())
    return;
  // Once paths have been left out, ends of captures may have been missed.
  if (Result.BudgetExceeded)
    F.Sure = Confidence::Possible;
  // Of the branches on one value, the first says it all.
  unsigned Place = F.Kind == FactKind::HostBranch && F.Other.Begin
                       ? F.Other.Begin
                       : F.Range.Begin;
  auto Key = std::tuple(Place, F.Capture, static_cast<unsigned>(F.Kind),
                        F.Callee + F.What);
  auto [It, New] = FactIndex.try_emplace(Key, Result.Facts.size());
  if (New) {
    Result.Facts.push_back(std::move(F));
    return;
  }
  Fact &Old = Result.Facts[It->second];
  F.Order = std::min(F.Order, Old.Order);
  if (F.Sure > Old.Sure && F.Range.Begin == Old.Range.Begin)
    Old = std::move(F);
}

} // namespace cudagraph
