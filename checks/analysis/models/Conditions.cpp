//===- Conditions.cpp - The catalogue's conditions ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Conditions.h.
//
//===----------------------------------------------------------------------===//

#include "Conditions.h"
#include "analysis/domain/Earlier.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Condition;
using catalogue::Effect;

std::optional<ValueId> Conditions::eventOf(const Call &C,
                                           const State &S) const {
  if (C.Api.Does != Effect::SyncEvent && C.Api.Does != Effect::QueryEvent &&
      C.Api.Does != Effect::EventElapsed &&
      C.Api.Does != Effect::StreamWaitEvent)
    return std::nullopt;
  ValueId V = C.arg("event");
  if (V == None)
    return std::nullopt;
  V = heldBy(D, S, V);
  // The event of the capture if there are two, else one that was never
  // recorded.
  if (C.Api.Does == Effect::EventElapsed)
    for (Recorded::Place Where : {Recorded::Inside, Recorded::Never})
      for (ValueId Other : C.Args)
        if (std::optional<Recorded> R = Streams.recordedAt(S, Other);
            R && R->Where == Where)
          return Other;
  return V;
}

std::optional<bool> Conditions::holdsOfEvent(const Call &C, const State &S,
                                             Condition X) const {
  std::optional<Recorded> R =
      Streams.recordedAt(S, heldBy(D, S, C.arg("event")));
  if (!R || R->Maybe)
    return std::nullopt;
  if (X == Condition::EventNever)
    return R->Where == Recorded::Never;
  if (X == Condition::EventEnded)
    return R->Where == Recorded::Ended;
  std::optional<Member> M =
      C.HasStream ? Streams.memberOf(S, C.Stream, C.PerThread) : std::nullopt;
  bool Mine = R->Where == Recorded::Inside && (!M || M->Capture == R->Capture);
  if (X == Condition::EventCaptured)
    return Mine;
  return !Mine && R->Where == Recorded::Inside;
}

std::optional<bool> Conditions::holds(const Call &C, const State &S,
                                      Condition X) const {
  auto Arg = [&](const char *Role) { return heldBy(D, S, C.arg(Role)); };
  auto Number = [&](const char *Role) -> std::optional<int64_t> {
    ValueId V = Arg(Role);
    return V == None ? std::nullopt : D.asInt(V);
  };
  switch (X) {
  case Condition::EventCaptured:
  case Condition::EventForeign:
  case Condition::EventEnded:
  case Condition::EventNever:
    return holdsOfEvent(C, S, X);
  case Condition::External: {
    if (!C.Api.arg("flags", C.Args.size()))
      return false;
    std::optional<int64_t> Flags = Number("flags");
    return Flags ? std::optional((*Flags & 1) != 0) : std::nullopt;
  }
  case Condition::OwnMemory: {
    ValueId V = Arg("ptr");
    if (V == None)
      return std::nullopt;
    const ValueNode N = D[V];
    if (N.Kind == ValueKind::Memory && N.B != TakenMemory)
      return N.B == PerhapsOfGraph ? std::nullopt : std::optional(N.A != None);
    // Contents that existed when the root was entered existed before the
    // capture, as did results of earlier functions.
    if (N.Kind == ValueKind::Init || N.Kind == ValueKind::Int ||
        isEarlierResult(N))
      return false;
    return std::nullopt;
  }
  case Condition::NoBytes: {
    std::optional<int64_t> Size = Number("size");
    return Size && *Size == 0; // a copy of zero bytes is not intentional
  }
  case Condition::SizeQuery: {
    ValueId V = Arg("buffer");
    return V != None && D.asInt(V) == 0;
  }
  case Condition::OtherDevice: {
    // Most programs use one device; an unknown device is assumed to be the same
    // one.
    std::optional<int64_t> Now =
        D.asInt(read(D, S, D.slot(Slot::CurrentDevice)));
    std::optional<int64_t> Then =
        D.asInt(read(D, S, D.slot(Slot::CapturingDevice)));
    return Now && Then && *Now != *Then;
  }
  case Condition::NoSync:
    return !C.O.Args.empty() && C.O.Args[0].Thrust & CallArg::NoSync;
  case Condition::OwnAllocator:
    return !C.O.Args.empty() && C.O.Args[0].Thrust & CallArg::OwnAllocator;
  case Condition::DeviceResult: {
    ValueId Handle = Arg("handle");
    std::optional<unsigned> Mode =
        Handle == None
            ? std::nullopt
            : S.Mem.lookup(D.slotOf(Slot::PointerMode, D.pointee(Handle)));
    std::optional<int64_t> N = Mode ? D.asInt(*Mode) : std::nullopt;
    // A local variable is on the host, regardless of the handle.
    bool OnHost = llvm::any_of(C.Args, [&](ValueId V) {
      return V != None && D[V].Kind == ValueKind::Addr &&
             D.at(D.root(D[V].A)).Kind == LocKind::Var;
    });
    if (!N && OnHost)
      return false;
    return N ? std::optional(*N == 1) : std::nullopt;
  }
  case Condition::ManySegments: {
    // The number of segments comes before the offsets and the stream.
    ValueId N = C.Args.size() < 4 ? None : C.Args[C.Args.size() - 4];
    std::optional<int64_t> Known = N == None ? std::nullopt : D.asInt(N);
    return Known ? std::optional(*Known > 500) : std::nullopt;
  }
  case Condition::OtherThread:
    return S.OtherThread;
  case Condition::FirstUse: {
    // Not every kind of handle has a first use with an effect.
    ValueId Handle = Arg("handle");
    std::optional<unsigned> Used =
        Handle == None
            ? std::nullopt
            : S.Mem.lookup(D.slotOf(Slot::LibraryUsed, D.pointee(Handle)));
    return Used && D.asInt(*Used) == 1 ? std::optional(false) : std::nullopt;
  }
  default:
    return Tensors.holds(C, S, X);
  }
}

} // namespace cudagraph
