//===- EngineCondition.cpp - What else decides an outcome -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers the catalogue's conditions for one call: where its event was
// recorded, whose memory it frees, what its handle and its thread are. What
// cannot be known is left open, and the finding then names every outcome.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;
using catalogue::StreamKind;
using catalogue::StreamRelation;

/// The event that a waiting or asking call is about; of two, the one that the
/// capture recorded.
std::optional<ValueId> Engine::eventOf(const State &S,
                                       const catalogue::Entry &E,
                                       llvm::ArrayRef<ValueId> Args,
                                       ValueId This) {
  if (E.Does != Effect::SyncEvent && E.Does != Effect::QueryEvent &&
      E.Does != Effect::EventElapsed && E.Does != Effect::StreamWaitEvent)
    return std::nullopt;
  std::optional<int> I = E.arg("event", Args.size());
  if (!I)
    return std::nullopt;
  ValueId V = *I < 0                                  ? This
              : static_cast<size_t>(*I) < Args.size() ? Args[*I]
                                                      : None;
  if (V == None)
    return std::nullopt;
  if (D[V].Kind == ValueKind::Addr)
    V = read(S, D[V].A);
  // Of two events, one of the capture, else one that was never recorded.
  if (E.Does == Effect::EventElapsed)
    for (Recorded::Place Where : {Recorded::Inside, Recorded::Never})
      for (ValueId Other : Args)
        if (std::optional<Recorded> R = recordedAt(S, Other);
            R && R->Where == Where)
          return Other;
  return V;
}

/// Whether condition \p X of a catalogue row holds for this call; nothing where
/// that cannot be known.
std::optional<bool> Engine::holds(const Op &O, const State &S,
                                  const catalogue::Entry &E,
                                  catalogue::Condition X, ValueId This,
                                  llvm::ArrayRef<ValueId> Args, ValueId Stream,
                                  bool PerThread) {
  using catalogue::Condition;
  auto Arg = [&](const char *Role) -> ValueId {
    std::optional<int> I = E.arg(Role, Args.size());
    ValueId V = !I                                      ? None
                : *I < 0                                ? This
                : static_cast<size_t>(*I) < Args.size() ? Args[*I]
                                                        : None;
    return V != None && D[V].Kind == ValueKind::Addr ? read(S, D[V].A) : V;
  };
  auto Number = [&](const char *Role) -> std::optional<int64_t> {
    ValueId V = Arg(Role);
    return V == None ? std::nullopt : D.asInt(V);
  };
  switch (X) {
  case Condition::EventCaptured:
  case Condition::EventForeign:
  case Condition::EventEnded:
  case Condition::EventNever: {
    std::optional<Recorded> R = recordedAt(S, Arg("event"));
    if (!R || R->Maybe)
      return std::nullopt;
    if (X == Condition::EventNever)
      return R->Where == Recorded::Never;
    if (X == Condition::EventEnded)
      return R->Where == Recorded::Ended;
    std::optional<Member> M =
        Stream == None ? std::nullopt : memberOf(S, Stream, PerThread);
    bool Mine =
        R->Where == Recorded::Inside && (!M || M->Capture == R->Capture);
    if (X == Condition::EventCaptured)
      return Mine;
    return !Mine && R->Where == Recorded::Inside;
  }
  case Condition::External: {
    if (!E.arg("flags", Args.size()))
      return false;
    std::optional<int64_t> Flags = Number("flags");
    return Flags ? std::optional((*Flags & 1) != 0) : std::nullopt;
  }
  case Condition::OwnMemory: {
    ValueId V = Arg("ptr");
    if (V == None)
      return std::nullopt;
    const ValueNode N = D[V];
    if (N.Kind == ValueKind::Memory)
      return N.A != None;
    // What the root found was there before the capture.
    if (N.Kind == ValueKind::Init || N.Kind == ValueKind::Int)
      return false;
    return std::nullopt;
  }
  case Condition::NoBytes: {
    std::optional<int64_t> Size = Number("size");
    return Size && *Size == 0; // nobody copies nothing on purpose
  }
  case Condition::SizeQuery: {
    ValueId V = Arg("buffer");
    return V != None && D.asInt(V) == 0;
  }
  case Condition::OtherDevice: {
    // Most programs use one device; what is not known is the same one.
    std::optional<int64_t> Now = D.asInt(read(S, currentDevice(D)));
    std::optional<int64_t> Then = D.asInt(read(S, capturingDevice(D)));
    return Now && Then && *Now != *Then;
  }
  case Condition::NoSync:
    return !O.Args.empty() && O.Args[0].Thrust & CallArg::NoSync;
  case Condition::OwnAllocator:
    return !O.Args.empty() && O.Args[0].Thrust & CallArg::OwnAllocator;
  case Condition::DeviceResult: {
    ValueId Handle = Arg("handle");
    std::optional<unsigned> Mode =
        Handle == None ? std::nullopt : S.Mem.lookup(pointerMode(D, Handle));
    std::optional<int64_t> N = Mode ? D.asInt(*Mode) : std::nullopt;
    return N ? std::optional(*N == 1) : std::nullopt;
  }
  case Condition::OtherThread:
    return S.OtherThread;
  case Condition::FirstUse: {
    // Not every kind of handle has something to do then.
    ValueId Handle = Arg("handle");
    std::optional<unsigned> Used =
        Handle == None ? std::nullopt : S.Mem.lookup(usedMark(D, Handle));
    return Used && D.asInt(*Used) == 1 ? std::optional(false) : std::nullopt;
  }
  default:
    return holdsOfTensor(O, S, E, X, Args);
  }
}

/// What the capture counts as: one blocking stream in it makes it a blocking
/// one (measured: capture_matrix, kind "mixed").
llvm::SmallVector<StreamKind, 2> Engine::kindsOf(const State &S, CaptureId C) {
  const llvm::SmallVector<StreamKind, 2> Both{StreamKind::Blocking,
                                              StreamKind::NonBlocking};
  std::optional<StreamKind> Own = Result.Captures[C].Kind;
  if (!Own)
    return Both;
  bool Open = false;
  for (const FactMap::Item &I : S.Streams) {
    Member M = Member::decode(I.Data);
    std::optional<StreamKind> K = kindOf(S, I.Key);
    if (*Own == StreamKind::Blocking || K == StreamKind::NonBlocking)
      continue;
    if (K && !M.Maybe)
      return {StreamKind::Blocking};
    Open |= K.has_value();
  }
  if (Open)
    return Both;
  return {*Own};
}

/// Nobody looks at the result of a begin or an end: a null graph or a capture
/// that never was goes unnoticed.
void Engine::noteUnchecked(Frame &F, const Op &O, State &S,
                           const catalogue::Entry &E) {
  if (!O.Discarded || E.Returns != "status" || S.OtherThread ||
      S.Active.empty())
    return;
  Fact Result = factAt(F, O, S, S.Active.back());
  Result.Kind = FactKind::Unchecked;
  Result.Api = &E;
  Result.Callee = E.Name;
  Result.Sure = Confidence::Possible;
  record(std::move(Result));
}

/// A wait for an event that was created and never recorded orders nothing.
void Engine::noteNoRecord(
    State &S, const Fact &At, llvm::ArrayRef<StreamRelation> Relations,
    llvm::function_ref<std::optional<bool>(catalogue::Condition)> Holds) {
  bool Inside = llvm::all_of(Relations, [](StreamRelation X) {
    return X == StreamRelation::Origin || X == StreamRelation::Joined;
  });
  if (!Inside || S.OtherThread ||
      Holds(catalogue::Condition::EventNever) != true)
    return;
  Fact Silent = At;
  Silent.Kind = FactKind::NoRecord;
  Silent.Situations.clear();
  record(std::move(Silent));
}

} // namespace cudagraph
