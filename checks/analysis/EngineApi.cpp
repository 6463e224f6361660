//===- EngineApi.cpp - What catalogued calls do to a state ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transfer function of the catalogue's effects: streams and events come
// and go, captures begin and end, values are read back from the device. What
// the user is told about a call is decided in EngineReport.cpp.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;
using catalogue::StreamKind;
using catalogue::StreamRelation;

/// Returns argument \p Role of the call, or None.
static ValueId argOf(const catalogue::Entry &E, llvm::StringRef Role,
                     llvm::ArrayRef<ValueId> Args, ValueId This) {
  std::optional<int> I =
      E.arg(std::string_view(Role.data(), Role.size()), Args.size());
  if (!I)
    return None;
  if (*I < 0)
    return This;
  return static_cast<size_t>(*I) < Args.size() ? Args[*I] : None;
}

/// The member of a library handle that holds its stream.
static LocId handleStream(Domain &D, ValueId Handle) {
  return D.loc(LocKind::Field, 0, D.pointee(Handle), None, "library stream");
}

Engine::States Engine::applyApi(Frame &F, const Op &O, State S,
                                const catalogue::Entry &E, FunctionId Callee,
                                ValueId This, llvm::ArrayRef<ValueId> Args) {
  const FunctionInfo &Info = Table.info(Callee);
  int64_t Site = Domain::site(F.Function, O.ResultIndex, 12);
  bool PerThread = PerThreadDefault || catalogue::hasPerThreadSuffix(Info.Name);
  auto Arg = [&](llvm::StringRef Role) { return argOf(E, Role, Args, This); };
  // A stream object passed by reference or as `this` is what it holds.
  auto Unwrap = [&](ValueId V) {
    return V != None && D[V].Kind == ValueKind::Addr ? read(S, D[V].A) : V;
  };
  auto Store = [&](ValueId Pointer, ValueId V) {
    if (Pointer != None && D.asInt(Pointer) != 0)
      assign(S, D.pointee(Pointer), V);
  };
  ValueId Stream = Unwrap(Arg("stream"));
  bool HasStream = Stream != None;
  Span StreamText;
  if (std::optional<int> I = E.arg("stream", Args.size());
      I && static_cast<size_t>(*I) < O.Args.size())
    StreamText = O.Args[*I].Range;
  else if (I && *I < 0)
    StreamText = O.ObjectRange;

  // A launch with a configuration structure names its stream in there.
  if (ValueId Config = Arg("config"); Config != None && !HasStream)
    for (const char *Member :
         {"cudaLaunchConfig_st::stream", "CUlaunchConfig_st::hStream"}) {
      LocId L = D.loc(LocKind::Field, 0, D.pointee(Config), None, Member);
      ValueId V = read(S, L);
      if (V == defaultContents(L))
        continue;
      Stream = V;
      HasStream = true;
    }

  ValueId Returned = D.opaque(Domain::site(F.Function, O.ResultIndex, 2));
  if (E.Returns == "status" && E.Does != Effect::QueryStream &&
      E.Does != Effect::QueryEvent)
    Returned = D.value(ValueKind::Status, Site);
  else if (E.Returns == "device-value")
    Returned = D.value(ValueKind::DeviceRead, Site, O.Range.Begin);
  else if (E.Returns == "varying")
    Returned = D.value(ValueKind::Varying, Site, O.Range.Begin);

  if (E.Does == Effect::Neutral && E.Returns.empty())
    if (ValueId V = libraryResult(S, Args); V != None)
      Returned = V;

  switch (E.Does) {
  case Effect::CaptureBegin: {
    CaptureRecord R;
    R.Root = E.Library == "libtorch" ? RootKind::Libtorch : RootKind::ApiPair;
    R.Origin = HasStream ? Stream : read(S, currentStream(D));
    R.StreamText = StreamText;
    if (!HasStream)
      R.StreamName = "the current stream";
    R.BeginName = E.Name;
    ValueId M = Arg("mode");
    if (M == None)
      R.Mode = catalogue::Mode::Global;
    else if (std::optional<int64_t> N = D.asInt(M); N && *N >= 0 && *N <= 2)
      R.Mode = static_cast<catalogue::Mode>(*N);
    // Nothing can be captured on the legacy default stream: CUDA refuses.
    std::optional<int64_t> Handle = D.asInt(R.Origin);
    if (Handle == 0 && PerThread)
      R.Origin = D.integer(2);
    if (!Handle || *Handle == 2 || (*Handle == 0 && PerThread))
      beginCapture(F, O, S, std::move(R));
    break;
  }
  case Effect::CaptureEnd:
    endCapture(F, O, S, HasStream ? Stream : None);
    break;
  case Effect::CaptureQuery: {
    ValueId Status = captureStatus(S, Stream, HasStream);
    Store(Arg("status"), Status);
    if (E.Returns == "capture-status" || E.Returns == "bool-capturing")
      Returned = Status;
    else if (llvm::StringRef(E.Name).ends_with("assertNotCapturing") &&
             !S.Active.empty())
      return {}; // it throws
    break;
  }
  case Effect::ModeExchange: {
    ValueId M = Arg("mode");
    bool Pointer = M != None && E.Returns == "status";
    ValueId New = Pointer ? read(S, D.pointee(M)) : Unwrap(M);
    ValueId Old = D.integer(S.ThreadMode < 0 ? 0 : S.ThreadMode);
    if (This != None)
      assign(S,
             D.loc(LocKind::Field, 0, D.pointee(This), None, "restored mode"),
             Old);
    std::optional<int64_t> N = New == None ? std::nullopt : D.asInt(New);
    S.ThreadMode = N && *N > 0 && *N <= 2 ? static_cast<int>(*N) : -1;
    if (Pointer)
      Store(M, Old);
    break;
  }
  case Effect::StreamCreate: {
    unsigned Kind = static_cast<unsigned>(StreamKind::Blocking);
    if (ValueId Flags = Arg("flags"); Flags != None) {
      std::optional<int64_t> N = D.asInt(Flags);
      Kind = !N       ? None
             : *N & 1 ? static_cast<unsigned>(StreamKind::NonBlocking)
                      : static_cast<unsigned>(StreamKind::Blocking);
    }
    ValueId Out = Arg("out");
    // An element of an array is a stream of its own.
    unsigned Element = None;
    if (Out != None && D[Out].Kind == ValueKind::Addr)
      if (const LocNode &L = D.at(D[Out].A);
          L.Kind == LocKind::Elem && L.B != None)
        Element = D[Out].A;
    Store(Out, D.value(ValueKind::Stream, Site, Element, Kind));
    break;
  }
  case Effect::EventCreate:
    Store(Arg("out"), D.opaque(Site));
    break;
  case Effect::EventRecord: {
    ValueId Event = Unwrap(Arg("event"));
    if (Event == None || S.Active.empty())
      break;
    auto R = relations(S, S.Active.back(), HasStream ? Stream : D.integer(0),
                       PerThread);
    bool Inside = llvm::all_of(R, [](StreamRelation X) {
      return X == StreamRelation::Origin || X == StreamRelation::Joined;
    });
    bool Maybe = llvm::any_of(R, [](StreamRelation X) {
      return X == StreamRelation::Origin || X == StreamRelation::Joined;
    });
    if (Inside || Maybe)
      S.Events.set(Event,
                   static_cast<unsigned>(Inside ? Membership::Joined
                                                : Membership::MaybeJoined));
    else
      S.Events.erase(Event);
    break;
  }
  case Effect::StreamWaitEvent: {
    ValueId Event = Unwrap(Arg("event"));
    if (Event == None || !HasStream || S.Active.empty())
      break;
    const unsigned *In = S.Events.lookup(Event);
    bool Unsure =
        D[Event].Kind == ValueKind::Init || D[Event].Kind == ValueKind::Phi;
    if (In)
      S.Streams.set(Stream, *In);
    else if (Unsure && !S.Streams.contains(Stream))
      S.Streams.set(Stream, static_cast<unsigned>(Membership::MaybeJoined));
    break;
  }
  case Effect::CurrentStream:
    Returned = read(S, currentStream(D));
    break;
  case Effect::DefaultStream:
    Returned = D.integer(1);
    break;
  case Effect::PoolStream:
    Returned = D.value(ValueKind::Stream, Site, None,
                       static_cast<unsigned>(StreamKind::NonBlocking));
    break;
  case Effect::StreamAccessor:
    Returned = This == None ? Unwrap(Args.empty() ? None : Args[0])
                            : read(S, D.pointee(This));
    if (Returned == None)
      Returned = D.opaque(Site);
    break;
  case Effect::StreamGuard: {
    ValueId New = HasStream ? Stream : None;
    if (This != None)
      assign(S,
             D.loc(LocKind::Field, 0, D.pointee(This), None, "restored stream"),
             read(S, currentStream(D)));
    if (New != None)
      assign(S, currentStream(D), New);
    break;
  }
  case Effect::LibraryHandle:
    if (ValueId Out = Arg("out"); Out != None) {
      ValueId Handle = D.opaque(Site);
      Store(Out, Handle);
      assign(S, handleStream(D, Handle), D.integer(0));
    }
    break;
  case Effect::LibraryStream:
    if (ValueId Handle = Arg("handle"); Handle != None && HasStream) {
      assign(S, handleStream(D, Unwrap(Handle)), Stream);
      setResult(F, O, S, Returned);
      return {std::move(S)};
    }
    break;
  case Effect::LibraryCall:
    if (ValueId Handle = Arg("handle"); Handle != None && !HasStream) {
      if (const ValueId *V = S.Mem.lookup(handleStream(D, Unwrap(Handle)))) {
        Stream = *V;
        HasStream = true;
      } else {
        setResult(F, O, S, Returned);
        return {std::move(S)}; // the handle's stream is not known
      }
    }
    break;
  case Effect::CopySync:
  case Effect::CopyAsync: {
    ValueId Dst = Arg("dst"), Kind = Arg("kind");
    std::optional<int64_t> N = Kind == None ? std::nullopt : D.asInt(Kind);
    // cudaMemcpyDeviceToHost is 2, cudaMemcpyDefault 4.
    bool ToHost = E.Direction == "d2h" || N == 2 ||
                  (N == 4 && Dst != None && D[Dst].Kind == ValueKind::Addr);
    if (ToHost && Dst != None) {
      ValueId Read = D.value(ValueKind::DeviceRead, Site, O.Range.Begin);
      Store(Dst, Read);
      // Of an array, any element may be looked at.
      if (D[Dst].Kind == ValueKind::Addr)
        if (LocNode N = D.at(D[Dst].A); N.Kind == LocKind::Elem)
          S.Mem.set(D.loc(LocKind::Elem, 0, N.A, None), Read);
    }
    break;
  }
  case Effect::Invoke: {
    setResult(F, O, S, Returned);
    return invokeCallables(F, O, std::move(S), Args);
  }
  case Effect::Terminate:
    S.Failing = true;
    break;
  default:
    if (ValueId Out = Arg("out"); Out != None)
      Store(Out, D.opaque(Site));
    break;
  }
  setResult(F, O, S, Returned);
  report(F, O, S, E, Callee, This, Args, Stream, HasStream, PerThread,
         StreamText);
  return {std::move(S)};
}

} // namespace cudagraph
