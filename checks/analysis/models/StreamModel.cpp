//===- StreamModel.cpp - Streams and events -------------------------------===//
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

using catalogue::Effect;
using catalogue::StreamKind;

Model::Then StreamModel::apply(Call &C, State &S) {
  switch (C.Api.Does) {
  case Effect::StreamCreate:
  case Effect::EventCreate:
    create(C, S);
    break;
  case Effect::EventRecord:
    record(C, S);
    break;
  case Effect::StreamWaitEvent:
    wait(C, S);
    break;
  case Effect::CaptureUpdate:
    blurUnjoined(D, S, None);
    break;
  case Effect::SetDevice:
    if (ValueId Device = C.Args.empty() ? None : held(S, C.Args[0]);
        Device != None)
      assign(D, S, D.slot(Slot::CurrentDevice), Device);
    break;
  case Effect::StreamGuard:
    guard(C, S);
    break;
  default:
    currentStream(C, S);
    break;
  }
  return Then::Follow;
}

/// The location at \p Out, if that is an element of an array or a part of one:
/// each is a separate stream or event.
unsigned StreamModel::elementOf(ValueId Out) const {
  if (Out == None || D[Out].Kind != ValueKind::Addr)
    return None;
  LocId At = D[Out].A;
  for (LocId L = At;; L = D.at(L).A) {
    LocKind K = D.at(L).Kind;
    if (K == LocKind::Elem)
      return At;
    if (K != LocKind::Field)
      return None;
  }
}

/// If \p Out is an unspecified element of an array of addresses, returns the
/// targets of the elements, except for those that already contain a stream or
/// event. They would stay null otherwise.
static llvm::SmallVector<LocId, 8> perhapsFilled(const Domain &D,
                                                 const State &S, ValueId Out) {
  llvm::SmallVector<LocId, 8> Filled;
  if (Out == None || D[Out].Kind != ValueKind::Init)
    return Filled;
  const LocNode From = D.at(D[Out].A);
  if (From.Kind != LocKind::Elem || From.B != None)
    return Filled;
  for (const Memory::Item &I : S.Mem) {
    if (D[I.Data].Kind != ValueKind::Addr ||
        D.at(I.Key).Kind != LocKind::Elem || D.at(I.Key).A != From.A)
      continue;
    std::optional<unsigned> Held = S.Mem.lookup(D[I.Data].A);
    if (!Held || D.asInt(*Held) == 0)
      Filled.push_back(D[I.Data].A);
  }
  return Filled;
}

void StreamModel::create(Call &C, State &S) {
  ValueId Out = C.arg("out");
  for (LocId L : perhapsFilled(D, S, Out)) {
    Call Each = C;
    ValueId Address = D.value(ValueKind::Addr, 0, L);
    Each.Site = C.Site ^ (static_cast<int64_t>(L) << 4);
    createAt(Each, S, Address);
  }
  createAt(C, S, Out);
}

void StreamModel::createAt(const Call &C, State &S, ValueId Out) {
  if (C.Api.Does == Effect::EventCreate) {
    ValueId Event = D.value(ValueKind::Event, C.Site, elementOf(Out));
    renameOlder(D, S, Event);
    store(S, Out, Event);
    if (Out != None)
      setRecorded(S, Event, {Recorded::Never});
    return;
  }
  unsigned Kind = static_cast<unsigned>(StreamKind::Blocking);
  if (ValueId Flags = C.arg("flags"); Flags != None) {
    std::optional<int64_t> N = D.asInt(Flags);
    Kind = !N       ? None
           : *N & 1 ? static_cast<unsigned>(StreamKind::NonBlocking)
                    : static_cast<unsigned>(StreamKind::Blocking);
  }
  ValueId Stream = D.value(ValueKind::Stream, C.Site, elementOf(Out), Kind);
  renameOlder(D, S, Stream);
  for (CaptureId Each : S.Active)
    if (Result.Captures[Each].Origin == Stream)
      S.Mem.set(D.slotOf(Slot::CreatedAgain, D.pointee(Stream)), D.integer(1));
  store(S, Out, Stream);
}

/// True for records and waits that become separate nodes.
static bool isExternal(const Domain &D, const Call &C) {
  ValueId Flags = C.arg("flags");
  return Flags != None && D.asInt(Flags).value_or(0) & 1;
}

/// The event of \p C, for the timeline.
static Happening happening(const Call &C, TimelineKind Kind, ValueId Event) {
  Happening H;
  H.Kind = Kind;
  H.Label = C.Api.Name;
  H.Where = C.O.Range;
  H.StreamText = C.StreamText;
  if (std::optional<int> I = C.Api.arg("event", C.Args.size())) {
    H.Event = Event;
    H.EventText = *I < 0 ? C.O.ObjectRange
                  : static_cast<size_t>(*I) < C.O.Args.size()
                      ? C.O.Args[*I].Range
                      : Span();
  }
  return H;
}

void StreamModel::record(Call &C, State &S) {
  ValueId Event = held(S, C.arg("event"));
  bool External = isExternal(D, C);
  ValueId On = C.HasStream ? C.Stream : D.integer(0);
  happen(Use, C.F, S, happening(C, TimelineKind::Record, Event), On,
         C.PerThread);
  if (External)
    noteWork(C.F, C.O, S, On, C.PerThread, C.StreamText);
  recordEvent(C.F, C.O, S, Event, On, C.PerThread, External);
}

void StreamModel::wait(Call &C, State &S) {
  ValueId Event = held(S, C.arg("event"));
  bool Forks = C.HasStream && !Streams.memberOf(S, C.Stream, C.PerThread);
  if (isExternal(D, C))
    noteWork(C.F, C.O, S, C.Stream, C.PerThread, C.StreamText);
  else if (C.HasStream)
    waitForEvent(C.O, S, C.Stream, Event, C.PerThread);
  Forks &=
      C.HasStream && Streams.memberOf(S, C.Stream, C.PerThread).has_value();
  TimelineKind Kind = Forks ? TimelineKind::Fork : TimelineKind::Wait;
  happen(Use, C.F, S, happening(C, Kind, Event),
         C.HasStream ? C.Stream : D.integer(0), C.PerThread);
}

/// Handles calls that return a stream, or set the current stream.
void StreamModel::currentStream(Call &C, State &S) {
  switch (C.Api.Does) {
  case Effect::CurrentStream:
    if (ValueId Out = C.arg("out"); Out != None)
      store(S, Out, read(D, S, D.slot(Slot::CurrentStream)));
    else
      C.Returned = read(D, S, D.slot(Slot::CurrentStream));
    break;
  case Effect::DefaultStream:
    C.Returned = D.integer(1);
    break;
  case Effect::PoolStream:
    C.Returned =
        D.value(ValueKind::Stream, C.Site, None,
                static_cast<unsigned>(StreamKind::NonBlocking), "pool");
    break;
  case Effect::PolicyStream:
    C.Returned = C.HasStream ? C.Stream : D.opaque(C.Site);
    if (C.Info->IsConstructor && C.This != None)
      assign(D, S, D.pointee(C.This), C.Returned);
    break;
  case Effect::StreamAccessor:
    C.Returned = C.This == None ? held(S, C.Args.empty() ? None : C.Args[0])
                                : read(D, S, D.pointee(C.This));
    if (C.Returned == None)
      C.Returned = D.opaque(C.Site);
    break;
  default:
    break;
  }
}

void StreamModel::guard(Call &C, State &S) {
  LocId Current = D.slot(Slot::CurrentStream);
  if (C.This != None)
    assign(D, S, D.slotOf(Slot::RestoredStream, D.pointee(C.This)),
           read(D, S, Current));
  if (C.HasStream && C.Stream != None)
    assign(D, S, Current, C.Stream);
}

bool StreamModel::restoreStream(State &S, ValueId This) {
  std::optional<unsigned> Old =
      S.Mem.lookup(D.slotOf(Slot::RestoredStream, D.pointee(This)));
  if (Old)
    assign(D, S, D.slot(Slot::CurrentStream), *Old);
  return Old.has_value();
}

void StreamModel::after(Call &C, State &S) {
  if (C.HasStream && becomesNode(C.Api.Does))
    noteWork(C.F, C.O, S, C.Stream, C.PerThread, C.StreamText);
}

void StreamModel::suspect(State &S, ValueId V, bool Typed) {
  ValueKind K = D[V].Kind;
  if (K == ValueKind::Event) // it may be recorded anywhere
    S.Events.erase(V);
  if ((K == ValueKind::Stream || (K == ValueKind::Init && Typed)) &&
      !S.Streams.contains(V) && !S.Active.empty())
    S.Streams.set(V, Member{S.Active.back(), true, true}.encode());
}

void StreamModel::captureLeft(State &S, CaptureId C) {
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
  S.Unjoined.eraseIf([&](const FactMap::Item &I) {
    ValueId X = D[I.Key].A;
    return X == Origin || (!S.Streams.contains(X) &&
                           llvm::none_of(S.Active, [&](CaptureId Other) {
                             return Result.Captures[Other].Origin == X;
                           }));
  });
  S.Broken.erase(C);
}

/// Moves facts about library handles to their new names.
void StreamModel::renameParts(
    State &S, const llvm::SmallDenseMap<ValueId, ValueId, 8> &Names) {
  std::vector<std::pair<LocId, LocId>> Moved;
  for (const Memory::Item &I : S.Mem) {
    const LocNode N = D.at(I.Key);
    if (N.Kind != LocKind::Field || D.at(N.A).Kind != LocKind::Pointee)
      continue;
    auto It = Names.find(D.at(N.A).A);
    if (It != Names.end())
      Moved.push_back(
          {I.Key, D.loc(N.Kind, N.N, D.pointee(It->second), N.B, D.text(N.S))});
  }
  for (auto [From, To] : Moved) {
    S.Mem.set(To, *S.Mem.lookup(From));
    S.Mem.erase(From);
  }
}

void StreamModel::rename(const Frame &F, const Op &O, const State &Before,
                         llvm::ArrayRef<ValueId> Roots, State &After,
                         ValueId &Returned) {
  llvm::SmallDenseSet<ValueId, 8> Old(Roots.begin(), Roots.end());
  llvm::SmallDenseMap<ValueId, ValueId, 8> Names;
  bool Collected = false;
  auto Rename = [&](ValueId V) {
    const ValueNode N = D[V];
    if ((N.Kind != ValueKind::Stream && N.Kind != ValueKind::Event &&
         N.Kind != ValueKind::Handle) ||
        O.ResultIndex == None)
      return V;
    if (!Collected) {
      for (const Memory::Item &I : Before.Mem)
        Old.insert(I.Data);
      Collected = true;
    }
    // If an array existed before, so did its elements.
    if (Old.count(V) || Old.count(someHandle(D, V)) ||
        Old.count(D.value(N.Kind, N.N, None, N.B)))
      return V;
    for (CaptureId C : After.Active)
      if (Result.Captures[C].Origin == V)
        return V; // it already captures: keeps its name
    int64_t Site = F.named(Domain::site(F.Function, O.ResultIndex, 14));
    ValueId Fresh = D.value(
        N.Kind, static_cast<int64_t>(static_cast<uint64_t>(N.N) * 31 + Site),
        N.A, N.B);
    Names.try_emplace(V, Fresh);
    return Fresh;
  };
  Returned = Rename(Returned);
  std::vector<std::pair<LocId, ValueId>> Renamed;
  for (const Memory::Item &I : After.Mem)
    if (D[I.Data].Kind == ValueKind::Stream ||
        D[I.Data].Kind == ValueKind::Event ||
        D[I.Data].Kind == ValueKind::Handle)
      if (ValueId V = Rename(I.Data); V != I.Data)
        Renamed.push_back({I.Key, V});
  for (auto [V, Fresh] : Names)
    renameOlder(D, After, Fresh);
  for (auto [L, V] : Renamed)
    After.Mem.set(L, V);
  if (Names.empty())
    return;
  renameParts(After, Names);
  auto Named = [&](ValueId V) {
    auto It = Names.find(V);
    return It == Names.end() ? V : It->second;
  };
  // An event of an earlier iteration does not include the work of this one.
  llvm::SmallDenseSet<ValueId, 8> Again;
  for (auto [V, Fresh] : Names)
    if (After.Events.contains(V))
      Again.insert(Fresh);
  After.Unjoined.eraseIf(
      [&](const FactMap::Item &I) { return Again.contains(D[I.Key].A); });
  for (FactMap *M : {&After.Streams, &After.Events})
    for (const FactMap::Item &I : FactMap(*M))
      if (ValueId V = Named(I.Key); V != I.Key) {
        M->erase(I.Key);
        M->set(V, I.Data);
      }
  for (const FactMap::Item &I : FactMap(After.Unjoined)) {
    ValueId Key = unjoinedKey(D, Named(D[I.Key].A), Named(D[I.Key].B));
    if (Key == I.Key)
      continue;
    After.Unjoined.erase(I.Key);
    After.Unjoined.set(Key, I.Data);
  }
  for (FactMap *M : {&After.Reached, &After.Precedes}) {
    M->eraseIf(
        [&](const FactMap::Item &I) { return Again.contains(D[I.Key].B); });
    for (const FactMap::Item &I : FactMap(*M))
      if (ValueId By = Named(D[I.Key].B); By != D[I.Key].B) {
        M->erase(I.Key);
        M->set(M == &After.Reached ? reachedKey(D, D[I.Key].A, By)
                                   : precedesKey(D, D[I.Key].A, By),
               I.Data);
      }
  }
}

} // namespace cudagraph
