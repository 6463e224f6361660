//===- Timeline.cpp - The events of a region, in order --------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Timeline.h.
//
//===----------------------------------------------------------------------===//

#include "Timeline.h"

namespace cudagraph {

/// The value that stands for the stream or event \p V, which is spelled \p
/// Text. The spelling distinguishes the elements of an array: the walk does not
/// count them.
ValueId Timeline::laneOf(ValueId V, Span Text, bool Guess) {
  const ValueNode N = D[V];
  ValueId Base = None;
  // If nothing is known about the stream, its spelling is used.
  if (Guess && N.Kind == ValueKind::Init && !LaneOf.contains(V))
    if (const std::string &Spelled = Table.text(Text); !Spelled.empty())
      return LanesByName.try_emplace({None, Spelled}, V).first->second;
  if (N.Kind == ValueKind::Stream || N.Kind == ValueKind::Event)
    Base = D.value(N.Kind, N.N, None, N.B);
  else if (N.Kind == ValueKind::Init && D.at(N.A).Kind == LocKind::Elem)
    Base =
        D.value(ValueKind::Init, 0, D.loc(LocKind::Elem, 0, D.at(N.A).A, None));
  else if (N.Kind == ValueKind::Init || N.Kind == ValueKind::Int)
    return V;
  const std::string &Spelled = Table.text(Text);
  if (Spelled.empty() || (Base != None && !Spelled.ends_with(']'))) {
    auto It = LaneOf.find(V);
    return It == LaneOf.end() ? V : It->second;
  }
  ValueId Lane = LanesByName.try_emplace({Base, Spelled}, V).first->second;
  return LaneOf.try_emplace(V, Lane).first->second;
}

void Timeline::happen(const Frame &F, const State &S, Happening H,
                      ValueId Stream, std::optional<Member> In) {
  if (S.Active.empty() || S.InCallback || S.OtherThread || S.Failing ||
      !H.Where.Begin)
    return;
  CaptureId C = S.Active.back();
  bool Guess = false;
  H.Part = StreamPart::Outside;
  if (Stream == None)
    H.Part = StreamPart::Host;
  else if (const std::optional<Member> &M = In) {
    if (!M->Maybe)
      C = M->Capture;
    Guess = M->Maybe && M->Guess;
    H.Part = M->Maybe                              ? StreamPart::Unsure
             : Result.Captures[C].Origin == Stream ? StreamPart::Origin
                                                   : StreamPart::Joined;
  }
  if (Stream != None)
    H.Lane = Stream == Result.Captures[C].Origin
                 ? Stream
                 : laneOf(Stream, H.StreamText, Guess);
  if (H.Event != None)
    H.Event = laneOf(H.Event, H.EventText);
  H.In = F.Function;
  add(F, C, std::move(H));
}

/// True if \p F is in a later iteration of a loop whose iterations are walked
/// separately.
static bool isInLaterRound(const Frame &F) {
  const Frame *Each = &F;
  while (Each && !Each->Round)
    Each = Each->Parent;
  return Each;
}

/// Adds \p H to the timeline of \p C, unless it is already there. A loop
/// appears once, regardless of its later iterations.
void Timeline::add(const Frame &F, CaptureId C, Happening H) {
  CaptureRecord &R = Result.Captures[C];
  if (R.Timeline.size() >= MaxTimeline && H.Kind != TimelineKind::End) {
    R.Truncated = true;
    return;
  }
  if (isInLaterRound(F))
    if (auto First = Happened.lower_bound({C, H.Where.Begin, 0});
        First != Happened.end() && std::get<0>(First->first) == C &&
        std::get<1>(First->first) == H.Where.Begin)
      H.Lane = std::get<2>(First->first);
  auto [It, New] =
      Happened.try_emplace({C, H.Where.Begin, H.Lane}, R.Timeline.size());
  if (!New) {
    Happening &Known = R.Timeline[It->second];
    Known.Always = Known.Always || Facts.isFirm(F, C, nullptr);
    return;
  }
  H.Order = W.next();
  H.Always = H.Kind == TimelineKind::Begin || Facts.isFirm(F, C, nullptr);
  for (const Frame *A = &F; A->Parent && A->Function != R.Home; A = A->Parent)
    ++H.Depth;
  R.Timeline.push_back(std::move(H));
}

void Timeline::begin(const Frame &F, CaptureId C) {
  const CaptureRecord &R = Result.Captures[C];
  Happening H;
  H.Kind = TimelineKind::Begin;
  H.Part = StreamPart::Origin;
  H.Lane = R.Origin;
  H.In = R.BeginIn;
  H.Where = R.BeginCall;
  H.Label = R.BeginName;
  add(F, C, std::move(H));
}

void Timeline::end(const Frame &F, CaptureId C, Span Where) {
  auto &Ends = Result.Captures[C].Ends;
  if (llvm::none_of(Ends, [&](Span E) { return E.Begin == Where.Begin; }))
    Ends.push_back(Where);
  Happening H;
  H.Kind = TimelineKind::End;
  H.Part = StreamPart::Origin;
  H.Lane = Result.Captures[C].Origin;
  H.In = F.Function;
  H.Where = Where;
  add(F, C, std::move(H));
}

void Timeline::inherit(CaptureId Inner, CaptureId Outer) {
  CaptureRecord &To = Result.Captures[Outer];
  if (Inner == Outer || !To.Timeline.empty())
    return;
  To.Timeline = Result.Captures[Inner].Timeline;
  for (unsigned I = 0; I < To.Timeline.size(); ++I) {
    Happening &H = To.Timeline[I];
    ++H.Depth;
    Happened.try_emplace({Outer, H.Where.Begin, H.Lane}, I);
  }
}

/// Inserts the events of facts and finds a name for each stream and event: its
/// first spelling, with a number if several have that spelling.
void Timeline::finish() {
  std::map<CaptureId, CaptureId> Outer(Result.Superseded.begin(),
                                       Result.Superseded.end());
  for (const Fact &F : Result.Facts) {
    CaptureId C = F.Capture;
    for (unsigned Guard = 0; Outer.count(C) && Guard < 64; ++Guard)
      C = Outer[C];
    CaptureRecord &R = Result.Captures[C];
    if (F.Kind == FactKind::Opaque || !F.Range.Begin ||
        llvm::any_of(R.Timeline, [&](const Happening &H) {
          return H.Where.Begin == F.Range.Begin;
        }))
      continue;
    Happening H;
    H.Kind = TimelineKind::Call;
    H.Where = F.Range;
    H.In = F.Function;
    H.Label = F.Callee.empty() ? F.subject() : F.Callee;
    H.Order = F.Order;
    H.Depth = F.Chain.size();
    H.Always = F.Firm;
    R.Timeline.push_back(std::move(H));
  }
  for (CaptureRecord &R : Result.Captures) {
    llvm::sort(R.Timeline, [](const Happening &A, const Happening &B) {
      return std::pair(A.Order, A.Lane) < std::pair(B.Order, B.Lane);
    });
    std::map<ValueId, std::string> Names;
    std::map<std::string, unsigned> Used;
    auto Name = [&](ValueId V, Span Spelled) {
      auto [It, New] = Names.try_emplace(V);
      if (!New)
        return It->second;
      std::string Text = Table.text(Spelled);
      const ValueNode N = D[V];
      if (N.Kind == ValueKind::Int && V != R.Origin)
        Text = N.N == 2 ? "per-thread default stream" : "legacy default stream";
      else if (N.Kind == ValueKind::Init && Text.empty())
        Text = W.nameOf(N.A);
      if (Text.empty())
        Text = V == R.Origin && !R.StreamName.empty() ? R.StreamName
               : N.Kind == ValueKind::Event           ? "an event"
                                                      : "a stream";
      if (unsigned Times = ++Used[Text]; Times > 1)
        Text += " (" + std::to_string(Times) + ")";
      return It->second = Text;
    };
    Name(R.Origin, R.StreamText);
    for (Happening &H : R.Timeline) {
      if (H.Lane != None)
        H.Stream = Name(H.Lane, H.StreamText);
      if (H.Event != None)
        H.Named = Name(H.Event, H.EventText);
      if (H.Label.empty() && H.Callee != None)
        H.Label = Table.info(H.Callee).Name;
    }
  }
}

} // namespace cudagraph
