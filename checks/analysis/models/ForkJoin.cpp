//===- ForkJoin.cpp - Forks, joins, and unjoined work ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StreamModel.h.
//
//===----------------------------------------------------------------------===//

#include "StreamLoops.h"
#include "StreamModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

void StreamModel::setRecorded(State &S, ValueId Event, Recorded R) {
  if (S.Events.size() >= MaxEvents && !S.Events.contains(Event))
    return;
  S.Events.set(Event, R.encode());
  S.Unjoined.eraseIf(
      [&](const FactMap::Item &I) { return D[I.Key].A == Event; });
}

/// The number of the location where \p O, in \p F, enqueues work.
unsigned StreamModel::siteOfWork(const Frame &F, const Op &O, Span StreamText) {
  std::vector<unsigned> Calls{O.Range.Begin};
  UnjoinedSite Site{O.Range, StreamText, F.Function, {}};
  const Frame *A = &F;
  for (; A->Parent && Site.By.size() < 3; A = A->Parent) {
    Site.By.push_back({A->CallSite->Range, A->Parent->Function});
    Calls.push_back(A->CallSite->Range.Begin);
  }
  auto [Known, New] =
      UnjoinedSiteIds.try_emplace(std::move(Calls), UnjoinedSites.size());
  if (New)
    UnjoinedSites.push_back(std::move(Site));
  return Known->second;
}

/// Records work on \p Stream: streams that do not wait for it later have
/// unjoined work.
void StreamModel::noteWork(const Frame &F, const Op &O, State &S,
                           ValueId Stream, bool PerThread, Span StreamText) {
  if (S.Active.empty() || S.OtherThread)
    return;
  if (PerThread && D.asInt(Stream) == 0)
    Stream = D.integer(2);
  std::optional<Member> M = Streams.memberOf(S, Stream, PerThread);
  if (!M || Result.Captures[M->Capture].Origin == Stream)
    return;
  for (ValueId Name : namesFor(S, S.Streams, O, Stream)) {
    const bool Chosen = Name != Stream && Streams.isChoice(Stream);
    if (Chosen)
      M = Streams.memberOf(S, Name, PerThread);
    if (!M || (M->Guess && !S.Streams.contains(Name)))
      continue; // it was not forked
    // An unspecified element of an array may be the origin itself.
    bool MayBeOrigin =
        Streams.mayBeOfOneArray(Name, Result.Captures[M->Capture].Origin);
    UnjoinedWork L;
    L.How = M->Guess || MayBeOrigin ? UnjoinedWork::Maybe
            : M->Maybe || Chosen    ? UnjoinedWork::Partly
                                    : UnjoinedWork::Surely;
    L.Site = siteOfWork(F, O, StreamText);
    leaveBehind(S, Name, *M, L);
  }
}

/// Records that no stream in the capture has waited for \p Stream.
void StreamModel::leaveBehind(State &S, ValueId Stream, const Member &In,
                              UnjoinedWork L) {
  auto Behind = [&](ValueId Of) {
    if (Of != Stream)
      S.Unjoined.set(unjoinedKey(D, Of, Stream), L.encode());
  };
  Behind(Result.Captures[In.Capture].Origin);
  for (const FactMap::Item &I : S.Streams)
    if (Member::decode(I.Data).Capture == In.Capture)
      Behind(I.Key);
  for (const FactMap::Item &I : S.Events)
    if (Recorded R = Recorded::decode(I.Data);
        R.Where == Recorded::Inside && R.Capture == In.Capture)
      Behind(I.Key);
}

void StreamModel::recordEvent(const Frame &F, const Op &O, State &S,
                              ValueId Event, ValueId Stream, bool PerThread,
                              bool External) {
  if (Event == None)
    return;
  if (PerThread && D.asInt(Stream) == 0)
    Stream = D.integer(2);
  std::optional<Member> M = Streams.memberOf(S, Stream, PerThread);
  Recorded R;
  if (M && External) {
    // A node will record the event, which does not change now. Its state after
    // the end depends on whether the graph has run.
    ValueId Name = Streams.recordedAs(S.Events, Event);
    if (std::optional<unsigned> Data = S.Events.lookup(Name)) {
      Recorded Now = Recorded::decode(*Data);
      Now.Maybe |= Now.Where == Recorded::Inside;
      S.Events.set(Name, Now.encode());
    }
    return;
  }
  llvm::SmallVector<ValueId, 4> On;
  if (M) {
    R = {Recorded::Inside, M->Capture, M->Maybe};
    On = namesFor(S, S.Streams, O, Stream);
  }
  llvm::ArrayRef<ValueId> Several;
  if (D[Event].Kind == ValueKind::Phi && D[Event].N == SeveralElements)
    Several = D.candidates(Event);
  for (ValueId Each : Several)
    recordOne(F, O, S, Each, On, R);
  if (Several.empty())
    recordOne(F, O, S, Event, On, R);
  // The event includes only the work of the last of several streams.
  if (R.Where != Recorded::Inside || !Streams.areSeveral(Stream) ||
      !Several.empty() || Streams.areSeveral(Event) ||
      !isRecordedAgain(W, F, O))
    return;
  ValueId Origin = Result.Captures[R.Capture].Origin;
  for (ValueId Name : On)
    if (std::optional<unsigned> Data =
            S.Unjoined.lookup(unjoinedKey(D, Origin, Name)))
      if (UnjoinedWork L = UnjoinedWork::decode(*Data);
          L.How != UnjoinedWork::None) {
        L.How = UnjoinedWork::Partly;
        S.Unjoined.set(unjoinedKey(D, Event, Name), L.encode());
      }
}

/// Records \p Event on the streams \p On: one, or several in a loop. The event
/// lacks the work that all of these streams lack. If it stands for several
/// events, each recorded in turn, it also lacks the work of the others.
void StreamModel::recordOne(const Frame &F, const Op &O, State &S,
                            ValueId Event, llvm::ArrayRef<ValueId> On,
                            const Recorded &R) {
  const FactMap Old = S.Unjoined;
  auto Of = [&](ValueId X, ValueId Target) {
    std::optional<unsigned> Data = Old.lookup(unjoinedKey(D, X, Target));
    return Data ? UnjoinedWork::decode(*Data) : UnjoinedWork();
  };
  std::optional<unsigned> Data = S.Events.lookup(Event);
  Recorded Before = Data ? Recorded::decode(*Data) : Recorded();
  bool Again = Streams.areSeveral(Event) && Before.Where == Recorded::Inside &&
               Before.Capture == R.Capture;
  if (!On.empty()) {
    auto Last = RecordSites.find(Event);
    if (Last != RecordSites.end() && Before.Where == Recorded::Inside &&
        Before.Capture == R.Capture && R.Where == Recorded::Inside &&
        Last->second.On != On.front() &&
        Of(Result.Captures[R.Capture].Origin, Last->second.On).How !=
            UnjoinedWork::None)
      RecordedAgain[Last->second.On] = {O.Range, F.Function, Event};
    RecordSites[Event] = {O.Range, F.Function, On.front()};
  }
  setRecorded(S, Event, R);
  if (R.Where != Recorded::Inside)
    return;
  for (const FactMap::Item &I : Old) {
    if (D[I.Key].A != On.front())
      continue;
    ValueId Target = D[I.Key].B;
    UnjoinedWork Behind = UnjoinedWork::decode(I.Data);
    bool Reached = llvm::any_of(On, [&](ValueId X) {
      return X == Target || Of(X, Target).How == UnjoinedWork::None;
    });
    if (Reached || (Again && Of(Event, Target).How == UnjoinedWork::None))
      Behind.How = UnjoinedWork::None;
    S.Unjoined.set(unjoinedKey(D, Event, Target), Behind.encode());
  }
}

/// Handles a wait of \p Stream for an unknown event.
void StreamModel::blurWaited(State &S, ValueId Stream) {
  if (!isOrigin(S, Stream))
    Stream = Streams.recordedAs(S.Streams, Stream);
  const FactMap Old = S.Unjoined;
  for (const FactMap::Item &I : Old) {
    UnjoinedWork Mine = UnjoinedWork::decode(I.Data);
    if (D[I.Key].A != Stream || Mine.How == UnjoinedWork::None)
      continue;
    ValueId Target = D[I.Key].B;
    for (const FactMap::Item &E : S.Events) {
      if (Recorded::decode(E.Data).Where != Recorded::Inside)
        continue;
      std::optional<unsigned> Data = Old.lookup(unjoinedKey(D, E.Key, Target));
      if (Data && UnjoinedWork::decode(*Data).How == UnjoinedWork::Surely)
        continue;
      Mine.How = UnjoinedWork::Maybe;
      S.Unjoined.set(I.Key, Mine.encode());
      break;
    }
  }
}

/// Records that \p Stream now includes the work that it waits for.
void StreamModel::waitForEvent(const Op &O, State &S, ValueId Stream,
                               ValueId Event, bool PerThread) {
  if (Event == None || S.Active.empty())
    return;
  if (PerThread && D.asInt(Stream) == 0)
    Stream = D.integer(2);
  llvm::SmallVector<ValueId, 4> Waiting{Stream};
  if (D[Stream].Kind == ValueKind::Phi && D[Stream].N == SeveralElements &&
      !D.candidates(Stream).empty() && !isOrigin(S, Stream))
    Waiting.assign(D.candidates(Stream).begin(), D.candidates(Stream).end());
  const auto Recorded = namesFor(S, S.Events, O, Event);
  for (ValueId Each : Waiting)
    for (ValueId Of : Recorded)
      waitForOne(S, Each, Of, PerThread);
}

/// The same, for one stream and one event.
void StreamModel::waitForOne(State &S, ValueId Stream, ValueId Event,
                             bool PerThread) {
  std::optional<Recorded> R = Streams.recordedAt(S, Event);
  std::optional<Member> M = Streams.memberOf(S, Stream, PerThread);
  ValueKind K = D[Event].Kind;
  if (!R) {
    // It may be any event that was recorded in the capture. The stream still
    // lacks work that none of these includes.
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
    return; // the legacy default stream cannot join a capture
  Event = Streams.recordedAs(S.Events, Event);
  // In a loop, a wait also joins the elements that no fact distinguishes yet.
  bool Further = Streams.areSeveral(Stream) && !isOrigin(S, Stream) &&
                 !S.Streams.contains(Stream) &&
                 Streams.recordedAs(S.Streams, Stream) == Stream;
  bool New = !M || (M->Maybe && !R->Maybe) || Further;
  if (New && S.Streams.size() >= MaxStreams && !S.Streams.contains(Stream)) {
    blurUnjoined(D, S, None);
    return;
  }
  if (New) {
    S.Streams.set(Stream, Member{R->Capture, R->Maybe}.encode());
  } else if (M->Capture != R->Capture) {
    return; // refused
  }
  if (!isOrigin(S, Stream))
    Stream = Streams.recordedAs(S.Streams, Stream);
  FactMap Old = S.Unjoined;
  auto Of = [&](ValueId X, ValueId Target) {
    std::optional<unsigned> Data = Old.lookup(unjoinedKey(D, X, Target));
    return Data ? UnjoinedWork::decode(*Data) : UnjoinedWork();
  };
  for (const FactMap::Item &I : Old) {
    ValueId X = D[I.Key].A, Target = D[I.Key].B;
    if (X == Event && New && Target != Stream) {
      S.Unjoined.set(unjoinedKey(D, Stream, Target), I.Data);
    } else if (X == Stream && !New) {
      UnjoinedWork Behind = Of(Event, Target),
                   Mine = UnjoinedWork::decode(I.Data);
      if (Behind.How == UnjoinedWork::None)
        Mine.How =
            R->Maybe || M->Maybe ? UnjoinedWork::Maybe : UnjoinedWork::None;
      else if (Behind.How == UnjoinedWork::Maybe ||
               (Behind.How == UnjoinedWork::Partly &&
                Mine.How == UnjoinedWork::Surely))
        Mine.How = Behind.How;
      if (Behind.How != UnjoinedWork::None)
        Mine.Site = Behind.Site; // work after the record
      S.Unjoined.set(I.Key, Mine.encode());
    } else if (Of(Event, Target).How == UnjoinedWork::None && isOrigin(S, X) &&
               Streams.mayBeOfOneArray(Stream, X)) {
      // An element that may be the origin.
      UnjoinedWork Mine = UnjoinedWork::decode(I.Data);
      if (Mine.How != UnjoinedWork::None)
        Mine.How = UnjoinedWork::Maybe;
      S.Unjoined.set(I.Key, Mine.encode());
    }
  }
}

/// Adds to \p Left the locations where events were recorded on \p Stream before
/// that work, and not after it.
void StreamModel::noteEarlyRecords(const State &S, ValueId Stream, CaptureId C,
                                   LeftWork::Work &Left) {
  for (const FactMap::Item &I : S.Events) {
    Recorded R = Recorded::decode(I.Data);
    auto At = RecordSites.find(I.Key);
    std::optional<unsigned> Behind =
        S.Unjoined.lookup(unjoinedKey(D, I.Key, Stream));
    if (R.Where == Recorded::Inside && R.Capture == C &&
        At != RecordSites.end() && At->second.On == Stream && Behind &&
        UnjoinedWork::decode(*Behind).How != UnjoinedWork::None)
      Left.Early.push_back({At->second.Call, At->second.In});
  }
  auto Again = RecordedAgain.find(Stream);
  if (Again != RecordedAgain.end())
    Left.Again.push_back({Again->second.Call, Again->second.In});
}

void StreamModel::captureEnds(Frame &F, const Op &O, State &S, CaptureId C,
                              const catalogue::Entry *E) {
  // On every path, an earlier error takes precedence.
  if (std::optional<unsigned> Broken = S.Broken.lookup(C);
      Broken && *Broken == 0)
    return;
  ValueId Origin = Result.Captures[C].Origin;
  if (llvm::none_of(S.Unjoined, [&](const FactMap::Item &I) {
        return D[I.Key].A == Origin &&
               UnjoinedWork::decode(I.Data).How != UnjoinedWork::None;
      }))
    return;
  Fact R = Facts.at(F, O, S, C);
  auto &Work = R.become<FactKind::Unjoined>();
  R.Api = E;
  R.Callee = E ? E->Name : Table.info(F.Function).Name;
  Evidence Surest = Evidence::PerhapsJoined;
  for (const FactMap::Item &I : S.Unjoined) {
    UnjoinedWork L = UnjoinedWork::decode(I.Data);
    if (D[I.Key].A != Origin || L.How == UnjoinedWork::None)
      continue;
    Evidence Here = R.Weakest;
    if (L.How != UnjoinedWork::Surely)
      Here = weaker(Here, L.How == UnjoinedWork::Partly
                              ? Evidence::WaitsOnSomePaths
                              : Evidence::PerhapsJoined);
    if (levelOf(Here) < levelOf(Surest))
      continue;
    if (levelOf(Here) > levelOf(Surest))
      Work.Left.clear(); // only the fact with the higher confidence is needed
    Surest = Here;
    const UnjoinedSite &Site = UnjoinedSites[L.Site];
    Work.Left.push_back({Site.Call, Site.StreamText, Site.In, Site.By});
    noteEarlyRecords(S, D[I.Key].B, C, Work.Left.back());
  }
  R.Weakest = Surest;
  llvm::sort(Work.Left, [](const LeftWork::Work &X, const LeftWork::Work &Y) {
    return X.Call.Begin < Y.Call.Begin;
  });
  if (!E && !Work.Left.empty()) { // no call ends the capture
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
