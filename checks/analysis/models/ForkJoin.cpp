//===- ForkJoin.cpp - Forks, joins and what is left behind ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamModel.h.
//
//===----------------------------------------------------------------------===//

#include "StreamModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

void StreamModel::setRecorded(State &S, ValueId Event, Recorded R) {
  if (S.Events.size() >= MaxEvents && !S.Events.contains(Event))
    return;
  S.Events.set(Event, R.encode());
  S.Lags.eraseIf([&](const FactMap::Item &I) { return D[I.Key].A == Event; });
}

/// \p Stream gets work: whoever does not wait for it from here on lags behind.
void StreamModel::noteWork(const Frame &F, const Op &O, State &S,
                           ValueId Stream, bool PerThread, Span StreamText) {
  if (S.Active.empty() || S.OtherThread)
    return;
  if (PerThread && D.asInt(Stream) == 0)
    Stream = D.integer(2);
  std::optional<Member> M = Streams.memberOf(S, Stream, PerThread);
  if (!M || Result.Captures[M->Capture].Origin == Stream)
    return;
  Stream = Streams.keptAs(S.Streams, Stream);
  if (M->Guess && !S.Streams.contains(Stream))
    return; // nothing has forked it
  Lag L;
  // Some element of an array may be the origin itself.
  const ValueNode N = D[Stream], From = D[Result.Captures[M->Capture].Origin];
  bool MayBeOrigin =
      (N.Kind == ValueKind::Stream && From.Kind == ValueKind::Stream &&
       N.N == From.N && (N.A == None || From.A == None)) ||
      (N.Kind == ValueKind::Init && From.Kind == ValueKind::Init &&
       D.at(N.A).Kind == LocKind::Elem && D.at(From.A).Kind == LocKind::Elem &&
       D.at(N.A).A == D.at(From.A).A &&
       (D.at(N.A).B == None || D.at(From.A).B == None));
  L.How = M->Guess || MayBeOrigin ? Lag::Maybe
          : M->Maybe              ? Lag::Partly
                                  : Lag::Surely;
  auto [Known, NewSite] =
      LagSiteIds.try_emplace(O.Range.Begin, LagSites.size());
  L.Site = Known->second;
  if (NewSite)
    LagSites.push_back({O.Range, StreamText, F.Function});
  auto Behind = [&](ValueId Of) {
    if (Of != Stream)
      S.Lags.set(lagKey(D, Of, Stream), L.encode());
  };
  Behind(Result.Captures[M->Capture].Origin);
  for (const FactMap::Item &I : S.Streams)
    if (Member::decode(I.Data).Capture == M->Capture)
      Behind(I.Key);
  for (const FactMap::Item &I : S.Events)
    if (Recorded R = Recorded::decode(I.Data);
        R.Where == Recorded::Inside && R.Capture == M->Capture)
      Behind(I.Key);
}

void StreamModel::recordEvent(State &S, ValueId Event, ValueId Stream,
                              bool PerThread, bool External) {
  if (Event == None)
    return;
  if (PerThread && D.asInt(Stream) == 0)
    Stream = D.integer(2);
  std::optional<Member> M = Streams.memberOf(S, Stream, PerThread);
  Recorded R;
  if (M && External)
    return; // a node will record it; the event does not change now
  if (M) {
    R = {Recorded::Inside, M->Capture, M->Maybe};
    Stream = Streams.keptAs(S.Streams, Stream);
  }
  FactMap Old = S.Lags;
  setRecorded(S, Event, R);
  if (R.Where == Recorded::Inside)
    for (const FactMap::Item &I : Old)
      if (D[I.Key].A == Stream)
        S.Lags.set(lagKey(D, Event, D[I.Key].B), I.Data);
}

/// \p Stream waits for an event that nobody knows.
void StreamModel::blurWaited(State &S, ValueId Stream) {
  Stream = Streams.keptAs(S.Streams, Stream);
  const FactMap Old = S.Lags;
  for (const FactMap::Item &I : Old) {
    Lag Mine = Lag::decode(I.Data);
    if (D[I.Key].A != Stream || Mine.How == Lag::None)
      continue;
    ValueId Target = D[I.Key].B;
    for (const FactMap::Item &E : S.Events) {
      if (Recorded::decode(E.Data).Where != Recorded::Inside)
        continue;
      std::optional<unsigned> Data = Old.lookup(lagKey(D, E.Key, Target));
      if (Data && Lag::decode(*Data).How == Lag::Surely)
        continue;
      Mine.How = Lag::Maybe;
      S.Lags.set(I.Key, Mine.encode());
      break;
    }
  }
}

/// What \p Stream waits for is behind it.
void StreamModel::waitForEvent(State &S, ValueId Stream, ValueId Event,
                               bool PerThread) {
  if (Event == None || S.Active.empty())
    return;
  if (PerThread && D.asInt(Stream) == 0)
    Stream = D.integer(2);
  std::optional<Recorded> R = Streams.recordedAt(S, Event);
  std::optional<Member> M = Streams.memberOf(S, Stream, PerThread);
  ValueKind K = D[Event].Kind;
  if (!R) {
    // It may be any event that was recorded in the capture. Whatever none of
    // these has behind it, the stream has not now.
    if (M)
      blurWaited(S, Stream);
    if ((K == ValueKind::Init || K == ValueKind::Phi) && !M &&
        !S.Streams.contains(Stream))
      S.Streams.set(Stream, Member{S.Active.back(), true, true}.encode());
    return;
  }
  if (R->Where != Recorded::Inside)
    return;
  std::optional<int64_t> Handle = D.asInt(Stream);
  if (Handle == 0 || Handle == 1)
    return; // the legacy default stream joins no capture
  Event = Streams.keptAs(S.Events, Event);
  bool New = !M || (M->Maybe && !R->Maybe);
  if (New && S.Streams.size() >= MaxStreams && !S.Streams.contains(Stream)) {
    blurLags(D, S, None);
    return;
  }
  if (New) {
    S.Streams.set(Stream, Member{R->Capture, R->Maybe}.encode());
  } else if (M->Capture != R->Capture) {
    return; // refused
  }
  Stream = Streams.keptAs(S.Streams, Stream);
  FactMap Old = S.Lags;
  auto Of = [&](ValueId X, ValueId Target) {
    std::optional<unsigned> Data = Old.lookup(lagKey(D, X, Target));
    return Data ? Lag::decode(*Data) : Lag();
  };
  for (const FactMap::Item &I : Old) {
    ValueId X = D[I.Key].A, Target = D[I.Key].B;
    if (X == Event && New && Target != Stream) {
      S.Lags.set(lagKey(D, Stream, Target), I.Data);
    } else if (X == Stream && !New) {
      Lag Behind = Of(Event, Target), Mine = Lag::decode(I.Data);
      if (Behind.How == Lag::None)
        Mine.How = R->Maybe || M->Maybe ? Lag::Maybe : Lag::None;
      else if (Behind.How == Lag::Maybe)
        Mine.How = Lag::Maybe;
      S.Lags.set(I.Key, Mine.encode());
    }
  }
}

void StreamModel::captureEnds(Frame &F, const Op &O, State &S, CaptureId C,
                              const catalogue::Entry *E) {
  if (S.Broken.contains(C))
    return;
  ValueId Origin = Result.Captures[C].Origin;
  if (llvm::none_of(S.Lags, [&](const FactMap::Item &I) {
        return D[I.Key].A == Origin && Lag::decode(I.Data).How != Lag::None;
      }))
    return;
  Fact R = Facts.at(F, O, S, C);
  auto &Work = R.become<FactKind::Unjoined>();
  R.Api = E;
  R.Callee = E ? E->Name : Table.info(F.Function).Name;
  Evidence Surest = Evidence::PerhapsJoined;
  for (const FactMap::Item &I : S.Lags) {
    Lag L = Lag::decode(I.Data);
    if (D[I.Key].A != Origin || L.How == Lag::None)
      continue;
    Evidence Here = R.Weakest;
    if (L.How != Lag::Surely)
      Here = weaker(Here, L.How == Lag::Partly ? Evidence::WaitsOnSomePaths
                                               : Evidence::PerhapsJoined);
    if (levelOf(Here) < levelOf(Surest))
      continue;
    if (levelOf(Here) > levelOf(Surest))
      Work.Left.clear(); // what is surer says it all
    Surest = Here;
    const LagSite &Site = LagSites[L.Site];
    Work.Left.push_back({Site.Call, Site.StreamText, Site.In});
  }
  R.Weakest = Surest;
  llvm::sort(Work.Left, [](const LeftWork::Work &X, const LeftWork::Work &Y) {
    return X.Call.Begin < Y.Call.Begin;
  });
  if (!E && !Work.Left.empty()) { // there is no call that ends the capture
    R.Range = Work.Left.front().Call;
    R.Function = Work.Left.front().In;
  }
  Situation Where;
  Where.Relation = catalogue::StreamRelation::Origin;
  for (catalogue::Cell &Cell : Where.ByMode)
    Cell = {catalogue::Cell::Error, 904, false};
  Work.Situations.push_back(Where);
  Facts.record(std::move(R));
}

} // namespace cudagraph
