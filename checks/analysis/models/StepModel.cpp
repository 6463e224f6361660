//===- StepModel.cpp - Changes of host state in captured code -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StepModel.h.
//
//===----------------------------------------------------------------------===//

#include "StepModel.h"
#include "analysis/domain/Truth.h"
#include "analysis/program/Alternation.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// Returns the change that \p O makes to the contents of \p L.
StepModel::How StepModel::howOf(const Frame &F, const Op &O, State &S,
                                LocId L) {
  const FlowGraph &G = *F.Graph;
  if (O.Kind == OpKind::Modify)
    return isTurn(G, O.Value, O.Place) ? How::Turns : How::Steps;
  if (isSwap(G, G.Blocks[F.Block], O))
    return How::Turns;
  // `next = f(x); x = next;`
  LocKind K = D.at(L).Kind;
  // `x = x->next`
  if ((K == LocKind::Field || K == LocKind::Global) &&
      isNext(G, O.Value, O.Place))
    return How::Steps;
  ExprId From = readAt(G, O.Value);
  if ((K == LocKind::Field || K == LocKind::Global) && From != None &&
      G.Exprs[From].Kind == ExprKind::Var && !isRenewed(D, S, L))
    for (const Inputs::Input &I : Sources.of(F, O.Value, S))
      if (I.Place == L)
        return How::Steps;
  return How::Sets;
}

/// True if the object that contains \p L may exist before and after the region:
/// it is not a variable of a function that the region calls.
bool StepModel::outlivesRegion(const Frame &F, const State &S, LocId L) const {
  const LocNode Root = D.at(D.root(L));
  if (Root.Kind == LocKind::Temp)
    return D.text(Root.S) == "heap";
  if (Root.Kind != LocKind::Var)
    return Root.Kind == LocKind::Global || Root.Kind == LocKind::Pointee;
  const CaptureRecord &R = Result.Captures[S.Active.front()];
  for (const Frame *A = &F; A; A = A->Parent) {
    // A loop around the begin call counts its captures.
    if (A->Function == R.Home)
      return llvm::none_of(
          loopsAround(*A->Graph, A->Block), [&](const LoopRange &Loop) {
            return D.at(L).Kind == LocKind::Var && Root.A == R.Home &&
                   Loop.Head <= R.HomeBlock && R.HomeBlock <= Loop.Last;
          });
    if (A->Function == Root.A)
      return false;
  }
  return true;
}

void StepModel::written(const Frame &F, const Op &O, State &S, LocId L,
                        ValueId Old, ValueId V) {
  if (S.Active.empty() || S.Failing || S.InCallback || S.OtherThread ||
      O.Once || D.slotAt(L) != Slot::None || isSynthetic(W.nameOf(L)) ||
      !outlivesRegion(F, S, L) ||
      isLaterStep(W, F, Result.Captures[S.Active.back()]))
    return;
  How Kind = howOf(F, O, S, L);
  // A constructor that captures sets members, and counts, for its object.
  for (const Frame *A = &F; A; A = A->Parent)
    if (A->This != None && Table.info(A->Function).IsConstructor &&
        D.root(D.pointee(A->This)) == D.root(L) && Kind != How::Turns)
      return;
  if (Old == V && isSum(*F.Graph, O.Value))
    return; // it adds zero
  if (isLatch(*F.Graph, O.Value, O.Place) || isStatus(D, V) ||
      accumulatesStatus(D, V))
    return; // changes only if a call fails
  if (Kind == How::Sets) {
    if (D.at(L).Kind != LocKind::Elem && S.Renewed.size() < MaxStepped)
      S.Renewed.set(L, 0);
  }
  if (!O.Range.Begin ||
      (Kind != How::Sets && growsOnDemand(F, Result.Captures[S.Active.back()])))
    return;
  // The contents of two elements without known numbers have one name.
  if (Kind == How::Turns && Old == V && isOfSomeElement(D, L))
    V = D.opaque(Domain::site(F.Function, F.Block, 15));
  if (!S.Stepped.contains(L)) {
    if (S.Stepped.size() >= MaxStepped)
      return;
    S.Stepped.set(L, Old);
  }
  S.SteppedTo.set(L, V);
  CaptureId C = S.Active.back();
  auto [It, New] = Steps.try_emplace({C, L});
  Step &At = It->second;
  if (New || (At.Kind == How::Sets && Kind != How::Sets))
    At.At = Facts.at(F, O, S, C);
  At.Kind = std::max(At.Kind, Kind);
  uint64_t Path = O.Range.Begin;
  uint64_t Rounds = roundsOf(F, S, Path);
  auto [Seen, First] = At.Rounds.try_emplace(Path, Rounds);
  if (!First && Seen->second != Rounds)
    Seen->second = 0;
  At.Repeats |= Rounds != 1 && mayRepeat(F, S);
  At.Counts |= isInAllocator(W, F, Result.Captures[C]);
  if (isOfSomeElement(D, L) && O.Place != None)
    for (const Inputs::Input &I : Sources.ofAddress(F, O.Place, S))
      if (I.Place != L && !llvm::is_contained(At.Indexes, I.Place))
        At.Indexes.push_back(I.Place);
}

void StepModel::noteDecision(const Frame &F, State &S, ExprId Cond,
                             Span Where) {
  if (S.Launched.empty() || Steps.empty() || S.Failing || S.InCallback)
    return;
  Inputs::Places Read;
  for (auto &[P, Of] : Steps) {
    if (Of.Decides.Begin || !S.Launched.contains(P.first))
      continue;
    if (Read.empty())
      Read = Sources.of(F, Cond, S, Inputs::Test);
    if (llvm::none_of(Read, [&, L = P.second](const Inputs::Input &I) {
          return overlap(D, I.Place, L);
        }))
      continue;
    Of.Decides = Where;
    Of.In = F.Function;
  }
}

void StepModel::captureBegan(Frame &, const Op &, State &S) {
  if (S.Active.empty())
    return;
  CaptureId Begun = S.Active.back();
  if (S.Active.size() == 1)
    S.Stepped = S.SteppedTo = S.Renewed = FactMap();
  if (llvm::any_of(S.Captured, [&](const FactMap::Item &I) {
        return I.Key != EarlierCapture && W.sameCapture(I.Key, Begun);
      }))
    Again.insert(Begun);
  S.Launched.eraseIf(
      [&](const FactMap::Item &I) { return W.sameCapture(I.Key, Begun); });
}

void StepModel::captureEnded(State &S, CaptureId C) {
  for (const FactMap::Item &I : S.Stepped)
    for (auto &[P, Of] : Steps)
      if (P.second == I.Key && W.sameCapture(P.first, C)) {
        Of.After = std::max(Of.After, netOf(S, I.Key, I.Data, Of));
        Of.Ended = true;
      }
  S.Stepped = S.SteppedTo = S.Renewed = FactMap();
}

void StepModel::after(Call &C, State &S) {
  if (C.Api.Does != catalogue::Effect::GraphLaunch || S.Failing ||
      !S.Active.empty())
    return;
  ValueId Exec = C.arg("graph");
  if (Exec != None && D[Exec].Kind == ValueKind::Addr)
    Exec = read(D, S, D.slotOf(Slot::CapturedGraph, D[Exec].A));
  llvm::SmallVector<CaptureId, 2> Of;
  if (Exec != None)
    eachGraph(D, Exec, [&](CaptureId X) {
      if (!llvm::is_contained(Of, X)) // instantiated at several locations
        Of.push_back(X);
    });
  bool Old = S.Captured.contains(EarlierCapture);
  OldGraph |= Old;
  // A graph captured in this call is not the graph of an earlier one.
  bool Own = !Of.empty() && isGraph(D, Exec);
  if (Of.empty())
    for (const FactMap::Item &I : S.Captured)
      if (I.Key != EarlierCapture)
        Of.push_back(I.Key);
  for (CaptureId X : Of) {
    if (S.Launched.contains(X))
      Replayed.insert(X);
    if ((Old && !Own) || S.Launched.contains(X))
      Nodes.Replayed.insert(X);
    S.Launched.set(X, 0);
    for (const Frame *A = &C.F; A; A = A->Parent)
      LaunchedUnder.insert({X, A->Function});
    if (!Old)
      Recaptured.insert(X);
  }
}

/// True if the graph of \p C is launched more than once; \p Seen: the walk has
/// shown it.
bool StepModel::isReplayed(CaptureId C, bool Seen) const {
  auto In = [&](const std::set<CaptureId> &Set) {
    return llvm::any_of(Set, [&](CaptureId X) { return W.sameCapture(X, C); });
  };
  if (In(Replayed))
    return true;
  return !Seen && !Nodes.Closed && In(Nodes.Outliving) &&
         (OldGraph || !In(Recaptured));
}

/// True unless there may be one graph for each value of the state.
bool StepModel::isOfOneGraph(CaptureId C) const {
  auto In = [&](const std::set<CaptureId> &Set) {
    return llvm::any_of(Set, [&](CaptureId X) { return W.sameCapture(X, C); });
  };
  return !isFresh(W, Nodes, C) &&
         (!In(Nodes.InTables) || (Nodes.Whole && !In(Again)));
}

/// True unless \p P is in a variable of a function that had returned whenever
/// the graph was launched.
bool StepModel::isSeenByLaunches(const Place &P) const {
  const LocNode Root = D.at(D.root(P.second));
  return Root.Kind != LocKind::Var ||
         llvm::any_of(LaunchedUnder, [&](const auto &Each) {
           return Each.second == Root.A && W.sameCapture(Each.first, P.first);
         });
}

/// True if \p Of changes, only during a capture, state that matters to later
/// launches.
bool StepModel::matters(const Place &P, const Step &Of) const {
  LocId L = P.second;
  bool Local = D.at(D.root(L)).Kind == LocKind::Var;
  if (Of.After == Net::Same || !isReplayed(P.first, Local) ||
      !isSeenByLaunches(P) || !isOfOneGraph(P.first))
    return false;
  while (D.at(L).Kind == LocKind::Elem)
    L = D.at(L).A;
  const LocNode N = D.at(L);
  if (N.Kind != LocKind::Field && N.Kind != LocKind::Global)
    return true;
  if (Rel.isRecord(D.text(N.S)))
    return false;
  const WriteSummary *Writes = Rel.writes(D.text(N.S));
  // Each capture starts with the same value.
  const CaptureRecord &R = Result.Captures[P.first];
  auto Resets = [&](FunctionId F) {
    return F != None && llvm::is_contained(Writes->Resets, F);
  };
  return !Writes || (!Writes->IsKey && !Writes->Updated && !Resets(R.Home) &&
                     !Resets(R.BeginIn));
}

/// Reports the nodes that received the contents of the place before the change.
/// \returns true if there are some, all on streams that may not be captured.
bool StepModel::reportUses(const Place &P, const Step &Of) {
  // Values that the capturing function computes in its own variables are not
  // computed for each launch.
  const LocNode N = D.at(P.second);
  if (N.Kind == LocKind::Var && N.A == Result.Captures[P.first].Home &&
      Of.Kind != How::Turns)
    return false;
  bool Any = false, Firm = false;
  for (const Retained &K : Nodes.Arguments) {
    // A flag that is cleared once concerns the first call.
    if (Of.Kind == How::Sets && K.Part != "switch" && !isChoice(K))
      continue;
    if (K.Use.As == RetainedAs::UserData ||
        !W.sameCapture(K.Capture, P.first) ||
        (K.Use.IsPointer && Of.Kind != How::Turns))
      continue;
    auto Uses = llvm::find_if(K.Inputs, [&](const Retained::Input &I) {
      return !I.Own && !I.Extent && overlap(D, I.Place, P.second);
    });
    if (Uses == K.Inputs.end())
      continue;
    // Another element of the container.
    if (!Of.Indexes.empty() &&
        llvm::none_of(K.Inputs, [&](const Retained::Input &I) {
          return llvm::is_contained(Of.Indexes, I.Place);
        }))
      continue;
    Fact R = K.At;
    VaryingValue &Value = becomeVarying(R, K);
    Value.Why = Variation::HostState;
    Value.Name = W.nameOf(Uses->Place);
    Value.Where = Of.At.Range;
    Value.In = Of.At.Function;
    R.restOn(Of.After == Net::MayDiffer       ? Evidence::PerhapsRestored
             : K.Use.As == RetainedAs::Branch ? Evidence::VaryingBranch
                                              : Evidence::VaryingValue);
    Any = true;
    Firm |= R.sure() >= levelOf(Evidence::VaryingValue);
    Facts.record(std::move(R));
  }
  return Any && !Firm;
}

/// Reports the members that captured code leaves toggled.
void StepModel::reportTurns() {
  for (auto &[L, R] : Facts.Later.Turning) {
    std::optional<Net> After;
    for (const auto &[P, Of] : Steps)
      if (P.second == L && Of.Ended && W.sameCapture(P.first, R.Capture))
        After = std::max(After.value_or(Net::Same), Of.After);
    if (After == Net::Same)
      continue;
    if (After == Net::MayDiffer)
      R.restOn(Evidence::PerhapsRestored);
    Facts.record(std::move(R));
  }
}

void StepModel::conclude() {
  for (const auto &[P, Of] : Steps)
    if (Of.Ended && Of.Kind != How::Sets && Of.After != Net::Differs)
      (Of.After == Net::Same ? Nodes.Restored : Nodes.PerhapsRestored)
          .insert(P);
  reportTurns();
  std::set<unsigned> SaidAt;
  for (const auto &[P, Of] : Steps) {
    if (W.isSpent())
      return;
    if (!matters(P, Of))
      continue;
    // The change itself is reported.
    bool Said = false, Firm = false;
    for (const Fact &F : Result.Facts)
      if (F.Kind == FactKind::HostWrite && F.Range.Begin == Of.At.Range.Begin) {
        Said |= F.sure() >= levelOf(Evidence::RegionState);
        Firm |= F.sure() >= levelOf(Evidence::VaryingValue);
      }
    // State that is toggled for the next launch, regardless of the stream that
    // uses it now.
    bool Switches = (Firm || !Said) && reportUses(P, Of) && !Said &&
                    Of.Kind == How::Turns && !SaidAt.count(Of.At.Range.Begin);
    if ((!Of.Decides.Begin && !Switches) || Of.After != Net::Differs)
      continue;
    SaidAt.insert(Of.At.Range.Begin);
    Fact R = Of.At;
    auto &Change = R.become<FactKind::HostWrite>();
    Change.Variable = W.nameOf(P.second);
    R.restOn(Of.Counts          ? Evidence::Bookkeeping
             : Of.Decides.Begin ? Evidence::ReadElsewhere
                                : Evidence::RegionState);
    Facts.record(std::move(R));
  }
}

} // namespace cudagraph
