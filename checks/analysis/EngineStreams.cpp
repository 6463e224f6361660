//===- EngineStreams.cpp - Forks, joins and what is left behind -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An event carries a stream into a capture, and the work of a stream to those
// that wait for it. For each stream or event X and each stream S that works in
// the capture, the state knows whether X has all work of S behind it; the
// capture may end when its origin lags behind nobody. That is what CUDA checks
// (measured: capture_matrix, cudaStreamEndCapture).
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::StreamRelation;

/// The key of State::Lags: \p Of may lag behind \p Stream.
ValueId Engine::lagKey(ValueId Of, ValueId Stream) {
  return D.value(ValueKind::Op, 0, Of, Stream, "lags behind");
}

/// The name under which \p V is kept in \p Map: its own, or that of all
/// elements of its array.
static ValueId keptAs(Domain &D, const FactMap &Map, ValueId V) {
  const ValueNode N = D[V];
  if (Map.contains(V) || N.A == None ||
      (N.Kind != ValueKind::Stream && N.Kind != ValueKind::Event))
    return V;
  ValueId Any = D.value(N.Kind, N.N, None, N.B);
  return Map.contains(Any) ? Any : V;
}

/// The capture that \p Stream takes part in, if it may take part in one.
std::optional<Member> Engine::memberOf(const State &S, ValueId Stream,
                                       bool PerThread) {
  std::optional<Member> Result;
  for (CaptureId C : S.Active) {
    auto All = relations(S, C, Stream, PerThread);
    auto Inside = [](StreamRelation R) {
      return R == StreamRelation::Origin || R == StreamRelation::Joined;
    };
    std::optional<unsigned> In = S.Streams.lookup(keptAs(D, S.Streams, Stream));
    if (llvm::all_of(All, Inside))
      return Member{C, false, In && Member::decode(*In).Guess};
    if (llvm::any_of(All, Inside))
      Result = Member{C, true, !In || Member::decode(*In).Guess};
  }
  return Result;
}

std::optional<Recorded> Engine::recordedAt(const State &S, ValueId Event) {
  if (Event == None)
    return std::nullopt;
  if (std::optional<unsigned> R = S.Events.lookup(keptAs(D, S.Events, Event)))
    return Recorded::decode(*R);
  return std::nullopt;
}

void Engine::setRecorded(State &S, ValueId Event, Recorded R) {
  if (S.Events.size() >= MaxEvents && !S.Events.contains(Event))
    return;
  S.Events.set(Event, R.encode());
  S.Lags.eraseIf([&](const FactMap::Item &I) { return D[I.Key].A == Event; });
}

/// \p Stream gets work: whoever does not wait for it from here on lags behind.
void Engine::noteWork(const Frame &F, const Op &O, State &S, ValueId Stream,
                      bool PerThread, Span StreamText) {
  if (S.Active.empty() || S.OtherThread)
    return;
  if (PerThread && D.asInt(Stream) == 0)
    Stream = D.integer(2);
  std::optional<Member> M = memberOf(S, Stream, PerThread);
  if (!M || Result.Captures[M->Capture].Origin == Stream)
    return;
  Stream = keptAs(D, S.Streams, Stream);
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
      S.Lags.set(lagKey(Of, Stream), L.encode());
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

void Engine::recordEvent(State &S, ValueId Event, ValueId Stream,
                         bool PerThread, bool External) {
  if (Event == None)
    return;
  if (PerThread && D.asInt(Stream) == 0)
    Stream = D.integer(2);
  std::optional<Member> M = memberOf(S, Stream, PerThread);
  Recorded R;
  if (M && External)
    return; // a node will record it; the event does not change now
  if (M) {
    R = {Recorded::Inside, M->Capture, M->Maybe};
    Stream = keptAs(D, S.Streams, Stream);
  }
  FactMap Old = S.Lags;
  setRecorded(S, Event, R);
  if (R.Where == Recorded::Inside)
    for (const FactMap::Item &I : Old)
      if (D[I.Key].A == Stream)
        S.Lags.set(lagKey(Event, D[I.Key].B), I.Data);
}

/// What \p Stream waits for is behind it.
void Engine::waitForEvent(State &S, ValueId Stream, ValueId Event,
                          bool PerThread) {
  if (Event == None || S.Active.empty())
    return;
  if (PerThread && D.asInt(Stream) == 0)
    Stream = D.integer(2);
  std::optional<Recorded> R = recordedAt(S, Event);
  std::optional<Member> M = memberOf(S, Stream, PerThread);
  ValueKind K = D[Event].Kind;
  if (!R) {
    // Whatever the event stands for may be behind the stream now.
    if (M)
      blurLags(S, Stream);
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
  Event = keptAs(D, S.Events, Event);
  bool New = !M || (M->Maybe && !R->Maybe);
  if (New && S.Streams.size() >= MaxStreams && !S.Streams.contains(Stream)) {
    blurLags(S, None);
    return;
  }
  if (New) {
    S.Streams.set(Stream, Member{R->Capture, R->Maybe}.encode());
  } else if (M->Capture != R->Capture) {
    return; // refused
  }
  Stream = keptAs(D, S.Streams, Stream);
  FactMap Old = S.Lags;
  auto Of = [&](ValueId X, ValueId Target) {
    std::optional<unsigned> Data = Old.lookup(lagKey(X, Target));
    return Data ? Lag::decode(*Data) : Lag();
  };
  for (const FactMap::Item &I : Old) {
    ValueId X = D[I.Key].A, Target = D[I.Key].B;
    if (X == Event && New && Target != Stream) {
      S.Lags.set(lagKey(Stream, Target), I.Data);
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

/// Something unseen may have joined streams to \p Stream; None: to any.
void Engine::blurLags(State &S, ValueId Stream) {
  for (const FactMap::Item &I : FactMap(S.Lags)) {
    Lag L = Lag::decode(I.Data);
    if (L.How == Lag::None || (Stream != None && D[I.Key].A != Stream))
      continue;
    L.How = Lag::Maybe;
    S.Lags.set(I.Key, L.encode());
  }
}

/// Forgets the streams of capture \p C, which is over. Events that it recorded
/// keep referring to it.
void Engine::leaveCapture(State &S, CaptureId C) {
  S.Streams.eraseIf([&](const FactMap::Item &I) {
    return Member::decode(I.Data).Capture == C;
  });
  for (const FactMap::Item &I : FactMap(S.Events)) {
    Recorded R = Recorded::decode(I.Data);
    if (R.Where != Recorded::Inside || R.Capture != C)
      continue;
    R.Where = Recorded::Ended;
    S.Events.set(I.Key, R.encode());
  }
  ValueId Origin = Result.Captures[C].Origin;
  S.Lags.eraseIf([&](const FactMap::Item &I) {
    ValueId X = D[I.Key].A;
    return X == Origin || (!S.Streams.contains(X) &&
                           llvm::none_of(S.Active, [&](CaptureId Other) {
                             return Result.Captures[Other].Origin == X;
                           }));
  });
  S.Broken.erase(C);
}

/// Capture \p C ends here: names the streams whose work its origin has not
/// waited for.
void Engine::checkJoined(Frame &F, const Op &O, State &S, CaptureId C,
                         const catalogue::Entry *E) {
  if (S.Broken.contains(C))
    return;
  ValueId Origin = Result.Captures[C].Origin;
  if (llvm::none_of(S.Lags, [&](const FactMap::Item &I) {
        return D[I.Key].A == Origin && Lag::decode(I.Data).How != Lag::None;
      }))
    return;
  Fact R = factAt(F, O, S, C);
  R.Kind = FactKind::Unjoined;
  R.Api = E;
  R.Callee = E ? E->Name : Table.info(F.Function).Name;
  Confidence Sure = Confidence::Possible;
  for (const FactMap::Item &I : S.Lags) {
    Lag L = Lag::decode(I.Data);
    if (D[I.Key].A != Origin || L.How == Lag::None)
      continue;
    Confidence Here = L.How == Lag::Surely ? R.Sure
                      : L.How == Lag::Partly
                          ? std::min(R.Sure, Confidence::Likely)
                          : Confidence::Possible;
    if (Here < Sure)
      continue;
    if (Here > Sure)
      R.Left.clear(); // what is surer says it all
    Sure = Here;
    const LagSite &Site = LagSites[L.Site];
    R.Left.push_back({Site.Call, Site.StreamText, Site.In});
  }
  R.Sure = Sure;
  llvm::sort(R.Left, [](const Fact::Work &X, const Fact::Work &Y) {
    return X.Call.Begin < Y.Call.Begin;
  });
  if (!E && !R.Left.empty()) { // there is no call that ends the capture
    R.Range = R.Left.front().Call;
    R.Function = R.Left.front().In;
  }
  Situation Where;
  Where.Relation = StreamRelation::Origin;
  for (catalogue::Cell &Cell : Where.ByMode)
    Cell = {catalogue::Cell::Error, 904, false};
  R.Situations.push_back(Where);
  record(std::move(R));
}

} // namespace cudagraph
