//===- HostWrites.cpp - Variables that captured code changes --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters and other state that the host changes in a region: see HostModel.h.
//
//===----------------------------------------------------------------------===//

#include "HostModel.h"
#include "analysis/domain/Truth.h"
#include "analysis/program/Alternation.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if the walk began in `main`, and there is no other code.
static bool isWhole(const Walk &W, const Frame &F) {
  return W.isWholeProgram(F.root().Function);
}

/// True if \p V is computed from the result of a captured copy, which does not
/// exist before the graph runs.
bool HostModel::isOfRegion(const State &S, ValueId V) const {
  Variations::Source Read;
  if (S.Active.empty() || Use.Varies.measured(V, Read) != Variation::DeviceRead)
    return false;
  const CaptureRecord &R = Result.Captures[S.Active.back()];
  return llvm::any_of(R.Timeline, [&](const Happening &H) {
    return H.Where.Begin == Read.Where.Begin;
  });
}

void HostModel::noteWrite(Frame &F, const Op &O, const State &S, LocId L,
                          ValueId V) {
  if (!S.Active.empty() && O.Kind == OpKind::Modify &&
      (D.at(L).Kind == LocKind::Field || D.at(L).Kind == LocKind::Global))
    W.SteppedInside.insert(D.text(D.at(L).S).str());
  if (S.Active.empty() || S.Failing || S.InCallback || S.OtherThread ||
      O.Implicit || isRecord(L))
    return;
  bool OfDevice = isOfRegion(S, V);
  bool Changes = O.Kind == OpKind::Modify &&
                 !isLatch(*F.Graph, O.Value, O.Place) &&
                 !accumulatesStatus(D, V) &&
                 !(isSum(*F.Graph, O.Value) && V == read(D, S, L)); // adds 0
  if (!Changes && !OfDevice)
    return;
  const LocNode Root = D.at(D.root(L));
  while (OfDevice && D.at(L).Kind == LocKind::Elem)
    L = D.at(L).A; // the array
  bool Member = D.at(L).Kind == LocKind::Field;
  bool Outlives =
      Root.Kind == LocKind::Global ||
      (Member && (Root.Kind == LocKind::Pointee || Root.Kind == LocKind::Var ||
                  Root.Kind == LocKind::Temp)) ||
      isOfListener(F, Root, this->Result.Captures[S.Active.back()]);
  if (D.at(L).Kind == LocKind::Elem)
    return noteCounted(F, O, S, L);
  if (!Outlives)
    return;
  bool Sure = OfDevice || isRegionState(F, S, L);
  if (!Sure && Root.Kind != LocKind::Pointee)
    return; // internal to a local object
  Fact Result = Facts.at(F, O, S, S.Active.back());
  llvm::StringRef Name = D.text(D.at(L).S);
  Result.Advice = isUnderLock(F, O);
  auto &Change = Result.become<FactKind::HostWrite>();
  bool Local = D.at(L).Kind == LocKind::Var;
  Change.Variable =
      Local ? W.nameOf(L) : Name.substr(Name.rfind(':') + 1).str();
  // A counter far from the region rarely belongs to the captured work.
  Sure &= OfDevice || (Result.Chain.size() <= 2 &&
                       !Shapes.knowsOfCapture(F.Function, F.Block));
  if (isLaterStep(W, F, this->Result.Captures[S.Active.back()])) {
    Result.restOn(Evidence::Bookkeeping);
    return Facts.record(std::move(Result));
  }
  // A pool of streams, events, or buffers counts its elements.
  if (isInAllocator(W, F, this->Result.Captures[S.Active.back()])) {
    Result.restOn(Evidence::Bookkeeping);
    return Facts.record(std::move(Result));
  }
  // A count matters if uncaptured code acts on it. A count that is only
  // displayed is a statistic, and a part of an object has its own bookkeeping,
  // like an allocator.
  const Expr *Step = O.Value == None ? nullptr : &F.Graph->Exprs[O.Value];
  bool Adds = Step && Step->Kind == ExprKind::Op && Step->B != None &&
              (Step->S == "+" || Step->S == "-");
  const WriteSummary *Writes = Rel.writes(Name);
  const ValueNode This = F.This == None ? ValueNode() : D[F.This];
  bool Part =
      This.Kind == ValueKind::Addr && (D.at(This.A).Kind == LocKind::Field ||
                                       D.at(This.A).Kind == LocKind::Elem);
  bool Unread = Writes && Writes->Readers.empty() && isWhole(W, F);
  // A local count may only show how often the program has recorded a graph.
  Sure &= !Local || OfDevice || !Adds ||
          F.Graph->Exprs[Step->B].Kind != ExprKind::Int;
  bool Aside = Sure && Adds && ((Writes && Writes->Shown) || Part || Unread);
  bool Counts = Aside || (!Sure && Adds && Result.Chain.size() <= 3 &&
                          F.Graph->Exprs[Step->B].Kind == ExprKind::Int);
  // A cursor that each capture resets belongs to the capture.
  const CaptureRecord &Region = this->Result.Captures[S.Active.back()];
  if ((Writes && llvm::is_contained(Writes->Resets, Region.Home)) ||
      (!OfDevice && growsOnDemand(F, Region)))
    Sure = Counts = false;
  Result.restOn(Sure && !Aside ? Evidence::RegionState : Evidence::Bookkeeping);
  if (!OfDevice && O.Value != None && isTurn(*F.Graph, O.Value, O.Place)) {
    Facts.Later.Turning.push_back({L, std::move(Result)});
    return;
  }
  if (!Counts)
    return Facts.record(std::move(Result));
  Change.Counter = Name.str();
  Facts.Later.Counting.push_back(std::move(Result));
}

} // namespace cudagraph
