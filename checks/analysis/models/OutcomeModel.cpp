//===- OutcomeModel.cpp - The outcome of a call ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OutcomeModel.h.
//
//===----------------------------------------------------------------------===//

#include "OutcomeModel.h"
#include "analysis/domain/Elements.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Cell;
using catalogue::Condition;
using catalogue::Effect;
using catalogue::StreamKind;
using catalogue::StreamRelation;

/// True for an outcome that matters. Work of another thread is not intended for
/// the graph, so only refusals matter there.
static bool isBad(const Cell &C, bool OtherThread) {
  return C.What == Cell::Error || (C.What == Cell::Escapes && !OtherThread);
}

/// Reports varying sizes: of copies, and of launches through an API.
void OutcomeModel::reportSizes(Call &C, State &S) {
  if (std::optional<unsigned> I = C.indexOf("size"); I && isSized(C.Api.Does))
    Use.Varies.report(C.F, C.O, S, C.Args[*I], "", &C.Api);
  if (C.Api.Does != Effect::Launch || C.isKernel())
    return;
  std::optional<unsigned> Kernel = C.indexOf("func");
  for (unsigned Each = 0; Each < C.Args.size(); ++Each) {
    ValueId A = C.Args[Each];
    if (Each == Kernel)
      continue;
    // Dimensions, by value or in a configuration structure.
    if (D[A].Kind != ValueKind::Addr) {
      Use.Varies.report(C.F, C.O, S, A, "grid", &C.Api);
      continue;
    }
    LocId Root = D.root(D[A].A);
    for (const Memory::Item &I : S.Mem)
      if (D.isMeasured(I.Data) && D.root(I.Key) == Root &&
          D.at(I.Key).Kind == LocKind::Field) {
        Use.Varies.report(C.F, C.O, S, I.Data, "grid", &C.Api);
        break;
      }
  }
}

/// True if the stream of \p C is the result of a function without source that
/// has no access to the stream on which capture \p Of has begun.
bool OutcomeModel::isOtherGetter(const Call &C, CaptureId Of) const {
  ValueId Origin = Result.Captures[Of].Origin;
  if (!W.Getters.count(C.Stream) || W.Handed.count(Origin) ||
      Result.Captures[Of].Root == RootKind::TorchOps)
    return false;
  // The caller of a capturing function may have called the same function.
  const ValueNode N = D[Origin];
  return N.Kind == ValueKind::Stream ||
         (isAssumed(Result.Captures[Of].Root) && N.Kind == ValueKind::Init &&
          D.at(N.A).Kind == LocKind::Var);
}

/// The possible relations of the stream, or the event, of \p C to the capture
/// \p Of.
OutcomeModel::Relations OutcomeModel::relationsOf(Call &C, State &S,
                                                  CaptureId Of, Fact &R) {
  const catalogue::Entry &E = C.Api;
  if (C.HasStream) {
    Relations All = Streams.relations(S, Of, C.Stream, C.PerThread);
    // Programs do not fork to the legacy default stream.
    if (E.Does == Effect::StreamWaitEvent && All.size() > 1 &&
        Use.When.holds(C, S, Condition::EventCaptured) != false)
      llvm::erase(All, StreamRelation::Legacy);
    if (All.size() > 1 && isOtherGetter(C, Of)) {
      llvm::erase(All, StreamRelation::Origin);
      llvm::erase(All, StreamRelation::Joined);
      R.restOn(Evidence::OtherGetter);
    }
    return All;
  }
  std::optional<ValueId> Event = Use.When.eventOf(C, S);
  if (!Event) {
    if (C.PerThread &&
        (E.Does == Effect::CopySync || E.Does == Effect::SetSync))
      return {StreamRelation::PerThread};
    return {StreamRelation::None};
  }
  R.call().IsEvent = true;
  if (std::optional<int> I = E.arg("event", C.Args.size()); I && *I < 0)
    R.call().StreamText = C.O.ObjectRange;
  else if (I && static_cast<size_t>(*I) < C.O.Args.size())
    R.call().StreamText = C.O.Args[*I].Range;
  std::optional<Recorded> At = Streams.recordedAt(S, *Event);
  // Code before an assumed capture is unknown.
  bool Mine = !isAssumed(Result.Captures[Of].Root);
  if (At && At->Where == Recorded::Inside && !At->Maybe)
    return {StreamRelation::Origin};
  if (At && At->Where == Recorded::Never &&
      llvm::any_of(E.Outcomes, [](const catalogue::OutcomeRow &Row) {
        return llvm::is_contained(Row.Streams, StreamRelation::None);
      }))
    return {StreamRelation::None};
  if (At ? At->Maybe : !Mine)
    return {StreamRelation::Origin, StreamRelation::Other};
  return {StreamRelation::Other};
}

/// True if the handle that \p C uses, or creates, was not used before.
bool OutcomeModel::isUnused(const Call &C, const State &S) const {
  if (C.Api.Does == Effect::LibraryHandle)
    return true;
  std::optional<int> I = C.Api.arg("handle", C.Args.size());
  if (!I || *I < 0)
    return false;
  std::optional<unsigned> Used =
      S.Mem.lookup(D.slotOf(Slot::LibraryUsed, D.pointee(C.Args[*I])));
  return Used && D.asInt(*Used) == 0;
}

/// Adds the outcome in each possible situation to \p R.
OutcomeModel::Verdict OutcomeModel::weigh(Call &C, State &S, CaptureId Of,
                                          const Relations &All, Fact &R) {
  Verdict V;
  bool Unused = isUnused(C, S);
  auto Holds = [&](Condition X) { return Use.When.holds(C, S, X); };
  for (StreamRelation Relation : All)
    for (StreamKind Kind : Streams.kindsOf(S, Of)) {
      std::vector<const catalogue::OutcomeRow *> Rows;
      C.Api.rows(Relation, Kind, Holds, Rows);
      if (Rows.empty()) // this combination is unknown
        V.AllBad = V.EachSometimesBad = V.Fatal = false;
      for (const catalogue::OutcomeRow *Row : Rows) {
        Situation Where;
        Where.Relation = Relation;
        Where.Capturing = Kind;
        Where.Row = Row;
        bool Always = true, Sometimes = false;
        bool Lazy = llvm::is_contained(Row->When, Condition::FirstUse);
        for (unsigned M = 0; M < 3; ++M) {
          const Cell &X = Where.ByMode[M] = Row->ByMode[M];
          if (R.Mode && static_cast<unsigned>(*R.Mode) != M)
            continue;
          Always &= isBad(X, S.OtherThread);
          Sometimes |= isBad(X, S.OtherThread);
          V.Fatal &= X.What == Cell::Error && !X.Survives;
        }
        V.AllBad &= Always;
        V.EachSometimesBad &= Sometimes;
        V.AnyBad |= Sometimes;
        V.AnyLazy |= Sometimes && Lazy && Unused;
        V.AnyLarge |=
            Sometimes && llvm::is_contained(Row->When, Condition::ManySegments);
        R.call().Situations.push_back(Where);
      }
    }
  return V;
}

/// True if the outcome of the call is a consequence of another error in the
/// capture, or may be correct.
bool OutcomeModel::isConsequence(Call &C, State &S, CaptureId Of,
                                 const Relations &All, const Fact &R) {
  auto Holds = [&](Condition X) { return Use.When.holds(C, S, X); };
  // In a capture that is already invalidated, captured events are void
  // (measured: capture_matrix, "after a refused call").
  if (std::optional<unsigned> Broken = S.Broken.lookup(Of);
      Broken && *Broken == 0)
    if ((R.call().IsEvent && All.front() == StreamRelation::Origin) ||
        (C.Api.Does == Effect::StreamWaitEvent &&
         Streams.kindsOf(S, Of).size() == 1 &&
         Streams.kindsOf(S, Of).front() == StreamKind::NonBlocking &&
         Holds(Condition::EventCaptured) == true))
      return true;
  if (C.Api.Does != Effect::CaptureEnd)
    return false;
  // An error in the capture takes precedence over the thread.
  ValueId Origin = Result.Captures[Of].Origin;
  if (All.size() == 1 && All.front() == StreamRelation::Origin &&
      (S.Broken.contains(Of) || llvm::any_of(S.Unjoined, [&](FactMap::Item I) {
         return D[I.Key].A == Origin &&
                UnjoinedWork::decode(I.Data).How == UnjoinedWork::Surely;
       })))
    return true;
  // Another thread may have begun the capture that ends here.
  return S.ForeignCaptures && All.front() == StreamRelation::Other;
}

/// Records that the current call invalidates the capture \p Of: every later
/// error that CUDA returns is a cascading error.
void OutcomeModel::noteBroken(Call &C, State &S, CaptureId Of) {
  S.Broken.set(Of, 0);
  // The event of another capture that this call waits for: a merge invalidates
  // both.
  std::optional<int> I = C.Api.arg("event", C.Args.size());
  if (C.Api.Does != Effect::StreamWaitEvent || !I || *I < 0 ||
      Use.When.holds(C, S, Condition::EventForeign) != true)
    return;
  if (std::optional<Recorded> At = Streams.recordedAt(S, held(S, C.Args[*I])))
    S.Broken.set(At->Capture, 0);
}

/// Reports a call that is refused without ending the capture, and whose result
/// is not checked.
void OutcomeModel::noteDropped(const Call &C, const Fact &R) {
  if (!R.call().Discarded || !isForGraph(C.Api.Does) ||
      !llvm::all_of(R.call().Situations, [&](const Situation &X) {
        return llvm::all_of(X.ByMode, [](const Cell &Y) { return Y.Survives; });
      }))
    return;
  Fact Missing = R;
  Missing.become<FactKind::Dropped>();
  Facts.record(std::move(Missing));
}

/// Reports a wait for an event that was created but never recorded: it creates
/// no dependency.
void OutcomeModel::noteNoRecord(Call &C, State &S, const Relations &All,
                                const Fact &R) {
  bool Inside = llvm::all_of(All, [](StreamRelation X) {
    return X == StreamRelation::Origin || X == StreamRelation::Joined;
  });
  if (!Inside || S.OtherThread ||
      Use.When.holds(C, S, Condition::EventNever) != true)
    return;
  Fact Silent = R;
  // Another of several callees, which may run earlier, may record it.
  for (const Frame *A = &C.F; A; A = A->Parent)
    if (A->Uncertain)
      Silent.restOn(Evidence::SomeSituations);
  // The loop around the wait may record it in another iteration.
  if (std::optional<ValueId> Event = Use.When.eventOf(C, S);
      Event && isOfSomeIndex(D, *Event) &&
      !loopsAround(*C.F.Graph, C.F.Block).empty())
    Silent.restOn(Evidence::SomeSituations);
  Silent.become<FactKind::NoRecord>().Situations.clear();
  Facts.record(std::move(Silent));
}

/// Reports that \p C, outside captures, uses an event whose last record is in a
/// graph: the event represents no work. A thread that runs outside captures has
/// started after the end, or has ended the capture.
void OutcomeModel::noteEventOver(Call &C, State &S) {
  std::optional<ValueId> Event = Use.When.eventOf(C, S);
  if (!Event)
    return;
  llvm::SmallVector<ValueId, 4> Used{*Event};
  if (C.Api.Does == Effect::EventElapsed)
    for (ValueId Other : C.Args)
      Used.push_back(Other);
  for (ValueId Each : Used) {
    std::optional<Recorded> At = Streams.recordedAt(S, Each);
    if (!At || At->Where != Recorded::Ended || At->Maybe)
      continue;
    // This is one of several events, selected by a key, and it is unknown which
    // of them was recorded.
    if (Streams.areSeveral(Each) && loopsAround(*C.F.Graph, C.F.Block).empty())
      continue;
    Fact R = factOf(Use, C, S, At->Capture);
    R.Firm = false;
    R.Weakest = S.Failing ? Evidence::FailurePath : Evidence::SomePaths;
    auto &Over = R.become<FactKind::EventOver>();
    Over.Situations.clear();
    Situation Where;
    Where.Relation = StreamRelation::None;
    for (Cell &Mode : Where.ByMode)
      Mode = {Cell::Error, 1, true};
    Over.Situations.push_back(Where);
    Facts.record(std::move(R));
    return;
  }
}

void OutcomeModel::after(Call &C, State &S) {
  const catalogue::Entry &E = C.Api;
  if (S.Active.empty() && !S.InCallback)
    noteEventOver(C, S);
  if (S.Active.empty() || S.InCallback || E.Does == Effect::Neutral ||
      isHostEffect(E.Does))
    return;
  reportSizes(C, S);
  CaptureId Of = captureOf(Use, C, S);
  Fact R = factOf(Use, C, S, Of);
  if (E.Outcomes.empty() && E.Does != Effect::DynamicShape &&
      E.Does != Effect::AllocPinned)
    return;
  // It is unknown to which of several streams this refers, so the end is
  // assumed to be correct.
  if (E.Does == Effect::CaptureEnd && C.HasStream &&
      !Streams.isIdentity(C.Stream))
    return;
  Relations All = relationsOf(C, S, Of, R);
  Verdict V = weigh(C, S, Of, All, R);
  if (E.Does == Effect::StreamWaitEvent && C.HasStream)
    noteNoRecord(C, S, All, R);
  if (E.Outcomes.empty()) {
    R.restOn(Evidence::NoOutcome);
    Facts.record(std::move(R));
    return;
  }
  if (!V.AnyBad || R.call().Situations.empty() ||
      isConsequence(C, S, Of, All, R))
    return;
  if (!V.AllBad)
    R.restOn(V.EachSometimesBad ? Evidence::SomeModes
             : V.AnyLazy        ? Evidence::FirstUse
             : V.AnyLarge       ? Evidence::LargeInput
                                : Evidence::SomeSituations);
  else if (V.Fatal && !S.OtherThread && C.Operands != Evidence::HiddenWork)
    noteBroken(C, S, Of);
  if (V.AllBad)
    noteDropped(C, R);
  if ((E.Does == Effect::AllocDevice || E.Does == Effect::AllocPinned) &&
      Use.Facts.mayBeStored(C.F, Of, /*OnSamePath=*/false))
    R.restOn(Evidence::WarmUpPossible);
  scopeHints(R, C.F, S, Result.Captures[Of].Origin);
  if (llvm::all_of(All, [](StreamRelation X) {
        return X == StreamRelation::Legacy || X == StreamRelation::PerThread;
      })) {
    noteOrigin(C, R);
    for (unsigned I = 0; I < C.F.Graph->NumParams; ++I)
      if (C.F.Graph->Vars[I].IsStream) {
        R.call().UnusedStreamParam = C.F.Graph->Vars[I].Name;
        break;
      }
  }
  if ((C.F.Once || C.O.Once) && W.isWarmedUp(C.F.Function))
    R.restOn(Evidence::WarmUpPossible);
  if (E.Does != Effect::CaptureBegin && isStepApart(W, C.F))
    R.restOn(Evidence::EndsOnPath);
  Facts.record(std::move(R));
}

/// Finds a name for the capturing stream at the call.
void OutcomeModel::scopeHints(Fact &R, const Frame &F, State &S,
                              ValueId Origin) {
  for (unsigned I = 0; I < F.Graph->Vars.size(); ++I) {
    if (F.Graph->Vars[I].Name.empty() || !F.Graph->Vars[I].IsStream)
      continue;
    if (read(D, S, D.loc(LocKind::Var, I, F.Function)) == Origin) {
      R.call().StreamInScope = F.Graph->Vars[I].Name;
      return;
    }
  }
  if (F.This == None || Table.info(F.Function).IsLambda)
    return;
  auto IsMember = [&](LocId L) {
    return D.at(L).Kind == LocKind::Field && D.at(L).A == D.pointee(F.This);
  };
  auto Name = [&](LocId L) {
    llvm::StringRef Text = D.text(D.at(L).S);
    return Text.substr(Text.rfind(':') + 1).str();
  };
  if (D[Origin].Kind == ValueKind::Init && IsMember(D[Origin].A))
    R.call().StreamInScope = Name(D[Origin].A);
  else
    for (auto It = S.Mem.begin(); It != S.Mem.end(); ++It)
      if (It->getData() == Origin && IsMember(It->getKey()))
        R.call().StreamInScope = Name(It->getKey());
}

} // namespace cudagraph
