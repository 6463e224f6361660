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
using catalogue::Role;
using catalogue::StreamKind;
using catalogue::StreamRelation;
using catalogue::Trait;

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

/// Where the stream is among the arguments of \p O. Overloads have it
/// elsewhere, and old versions of a library something behind it: if what stands
/// there is no stream, it is the one argument that is.
static std::optional<int> streamAt(const catalogue::Entry &E, const Op &O,
                                   size_t NumArgs) {
  std::optional<int> Here = E.arg("stream", NumArgs);
  std::optional<int> Usual = Here ? Here : E.arg("stream");
  if (!Usual || *Usual < 0 || O.Args.size() != NumArgs)
    return Here;
  if (Here && static_cast<size_t>(*Here) < NumArgs && O.Args[*Here].IsStream)
    return Here;
  auto IsStream = [](const CallArg &A) { return A.IsStream; };
  if (llvm::count_if(O.Args, IsStream) != 1)
    return Here;
  return llvm::find_if(O.Args, IsStream) - O.Args.begin();
}

LocId handleStream(Domain &D, ValueId Handle) {
  return D.loc(LocKind::Field, 0, D.pointee(Handle), None, "library stream");
}

LocId pointerMode(Domain &D, ValueId Handle) {
  return D.loc(LocKind::Field, 0, D.pointee(Handle), None,
               "library pointer mode");
}

/// A generator that keeps its state on the host draws the same numbers on each
/// replay.
void Engine::noteRepeats(Frame &F, const Op &O, State &S,
                         const catalogue::Entry &E, ValueId Handle) {
  if (!E.has(Trait::Draws) || Handle == None || S.Active.empty() ||
      S.OtherThread || S.Failing)
    return;
  if (D[Handle].Kind == ValueKind::Addr)
    Handle = read(S, D[Handle].A);
  std::optional<int64_t> Kind;
  if (std::optional<unsigned> V = S.Mem.lookup(generatorKind(D, Handle)))
    Kind = D.asInt(*V);
  else if (D[Handle].Kind == ValueKind::Init)
    if (const LocNode L = D.at(D[Handle].A);
        L.Kind == LocKind::Field || L.Kind == LocKind::Global)
      if (const WriteSummary *W = Rel.writes(D.text(L.S)))
        Kind = W->Generator;
  if (!Catalogue.isValue(Role::HostRepeats, Kind))
    return;
  Fact R = factAt(F, O, S, S.Active.back());
  R.Kind = FactKind::Repeats;
  R.Number = *Kind;
  R.Callee = E.Name;
  R.Sure = std::min(R.Sure, Confidence::Likely);
  record(std::move(R));
}

/// True for what becomes a node of the stream's capture.
static bool isWork(Effect E) {
  switch (E) {
  case Effect::CopyAsync:
  case Effect::SetAsync:
  case Effect::Launch:
  case Effect::HostFunction:
  case Effect::StreamWork:
  case Effect::AllocAsync:
  case Effect::FreeAsync:
  case Effect::LibraryCall:
    return true;
  default:
    return false;
  }
}

Engine::States Engine::applyApi(Frame &F, const Op &O, State S,
                                const catalogue::Entry &E, FunctionId Callee,
                                ValueId This, llvm::ArrayRef<ValueId> Args) {
  const FunctionInfo &Info = Table.info(Callee);
  int64_t Site = Domain::site(F.Function, O.ResultIndex, 12);
  if (S.InCallback) {
    if (ValueId P = argOf(E, "ptr", Args, This); P != None)
      freed(F, O, S, P);
    if (!E.has(Trait::Host) && E.Does != Effect::Neutral)
      noteCallbackCall(F, O, S, E.Name);
    setResult(F, O, S, D.opaque(Site));
    return {std::move(S)};
  }
  bool PerThread = Table.info(F.Function).PerThread ||
                   catalogue::hasPerThreadSuffix(Info.Name);
  auto Arg = [&](llvm::StringRef Role) { return argOf(E, Role, Args, This); };
  // A stream object passed by reference or as `this` is what it holds.
  auto Unwrap = [&](ValueId V) {
    return V != None && D[V].Kind == ValueKind::Addr ? read(S, D[V].A) : V;
  };
  auto Store = [&](ValueId Pointer, ValueId V) {
    if (Pointer != None && D.asInt(Pointer) != 0)
      assign(S, D.pointee(Pointer), V);
  };
  std::optional<int> StreamAt = streamAt(E, O, Args.size());
  ValueId Stream = None;
  Span StreamText;
  if (StreamAt && *StreamAt < 0) {
    Stream = Unwrap(This);
    StreamText = O.ObjectRange;
  } else if (StreamAt && static_cast<size_t>(*StreamAt) < Args.size()) {
    Stream = Unwrap(Args[*StreamAt]);
    if (static_cast<size_t>(*StreamAt) < O.Args.size())
      StreamText = O.Args[*StreamAt].Range;
  }
  Stream = passedStream(S, Stream);
  bool HasStream = Stream != None;

  // Nothing is in a container that is made empty, and what is in one that is
  // made from another by moving was there before.
  bool Moves = O.Args.size() == 1 && Info.LastParam == Info.Class &&
               llvm::StringRef(Info.Signature).ends_with("&&)");
  if (Info.IsConstructor && (O.Args.empty() || Moves) &&
      (E.Does == Effect::AllocDevice ||
       (E.has(Trait::Policy) && E.Does == Effect::LibraryCall))) {
    setResult(F, O, S, D.opaque(Domain::site(F.Function, O.ResultIndex, 2)));
    return {std::move(S)};
  }

  // An execution policy is its stream; without one, device iterators mean the
  // default stream, and others an algorithm on the host.
  if (E.has(Trait::Policy) && E.Does == Effect::LibraryCall) {
    uint8_t First = O.Args.empty() ? 0 : O.Args[0].Thrust;
    bool OnDevice = First & CallArg::Policy ||
                    llvm::any_of(O.Args,
                                 [](const CallArg &A) {
                                   return A.Thrust & CallArg::OnDevice;
                                 }) ||
                    This != None;
    if (!OnDevice) {
      setResult(F, O, S, D.opaque(Domain::site(F.Function, O.ResultIndex, 2)));
      return invokeCallables(F, O, std::move(S), Args);
    }
    bool Named = First & CallArg::Policy && HasStream &&
                 D[Stream].Kind != ValueKind::CopyOf &&
                 !(D[Stream].Kind == ValueKind::Init &&
                   D.at(D[Stream].A).Kind == LocKind::Global);
    if (!Named) {
      Stream = D.integer(0);
      StreamText = {};
    }
    HasStream = true;
  }

  // A launch with a configuration structure names its stream in there.
  if (ValueId Config = Arg("config"); Config != None && !HasStream)
    for (const catalogue::NamedRole *Each :
         Catalogue.names(Role::ConfigStream)) {
      llvm::StringRef Member = Each->Name;
      LocId L = D.loc(LocKind::Field, 0, D.pointee(Config), None, Member);
      ValueId V = read(S, L);
      // Nobody has written it, here or in the structure this is a copy of.
      if (D[V].Kind == ValueKind::Init && D.text(D.at(D[V].A).S) == Member)
        continue;
      Stream = V;
      HasStream = true;
      break;
    }

  // An element of an array is a stream, or an event, of its own.
  auto elementOf = [&](ValueId Out) -> unsigned {
    if (Out != None && D[Out].Kind == ValueKind::Addr)
      if (const LocNode L = D.at(D[Out].A);
          L.Kind == LocKind::Elem && L.B != None)
        return D[Out].A;
    return None;
  };

  ValueId Returned = D.opaque(Domain::site(F.Function, O.ResultIndex, 2));
  if (E.Returns == "status" && E.Does != Effect::QueryStream &&
      E.Does != Effect::QueryEvent)
    Returned = D.value(ValueKind::Status, Site);
  else if (E.Returns == "device-value")
    Returned = D.value(ValueKind::DeviceRead, Site, O.Range.Begin);
  else if (E.Returns == "varying")
    Returned = D.value(ValueKind::Varying, Site, O.Range.Begin,
                       static_cast<unsigned>(E.Does));

  if (E.Does == Effect::Neutral && E.Returns.empty())
    if (ValueId V = libraryResult(S, Args); V != None)
      Returned = V;

  auto Happen = [&](TimelineKind Kind, ValueId On) {
    Happening H;
    H.Kind = Kind;
    H.Label = E.Name;
    H.Where = O.Range;
    H.StreamText = StreamText;
    if (std::optional<int> I = E.arg("event", Args.size());
        I && Kind != TimelineKind::Work) {
      H.Event = Unwrap(Arg("event"));
      H.EventText = *I < 0                                    ? O.ObjectRange
                    : static_cast<size_t>(*I) < O.Args.size() ? O.Args[*I].Range
                                                              : Span();
    }
    happen(F, S, std::move(H), On, PerThread);
  };

  // A container takes a thread that is moved into it.
  if (E.has(Trait::Host) && E.Does != Effect::HostThread && !S.Threads.empty())
    for (ValueId A : Args)
      moveThread(S, A, None);
  // A number that CUDA was given the address of may be another one now.
  if (!E.has(Trait::Host) && E.Does != Effect::ModeExchange)
    for (unsigned I = 0; I < Args.size() && I < O.Args.size(); ++I) {
      const ValueNode N = D[Args[I]];
      std::optional<unsigned> Old =
          O.Args[I].Written && N.Kind == ValueKind::Addr ? S.Mem.lookup(N.A)
                                                         : std::nullopt;
      if (Old && D.asInt(*Old))
        S.Mem.set(N.A, D.opaque(Domain::site(Callee, N.A, 12)));
    }

  switch (E.Does) {
  case Effect::CaptureBegin: {
    CaptureRecord R;
    R.Root = E.has(Trait::Tensors) ? RootKind::Libtorch : RootKind::ApiPair;
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
    std::optional<int64_t> Handle = D.asInt(R.Origin);
    if (Handle == 0 && PerThread)
      R.Origin = D.integer(2);
    R.BeginResult = Site;
    setResult(F, O, S, Returned);
    // Nothing can be captured on the legacy default stream: CUDA refuses.
    bool Legacy = Handle && *Handle != 2 && !(*Handle == 0 && PerThread);
    // Round a loop, an element of an array is another stream each time.
    bool Again = !(D[R.Origin].Kind == ValueKind::Init &&
                   D.at(D[R.Origin].A).Kind == LocKind::Var) &&
                 llvm::any_of(S.Active, [&](CaptureId C) {
                   return Result.Captures[C].BeginCall.Begin == O.Range.Begin;
                 });
    if (Legacy && S.Active.empty())
      refuseBegin(F, O, S, E, std::move(R));
    else if (!Again)
      report(F, O, S, E, Callee, This, Args, Stream, HasStream, PerThread,
             StreamText);
    // From here on the other thread captures for itself.
    if (!Legacy)
      S.OtherThread = false;
    if (!Legacy) {
      beginCapture(F, O, S, std::move(R));
      noteUnchecked(F, O, S, E);
      runThreads(F, O, S);
    }
    return {std::move(S)};
  }
  case Effect::CaptureEnd:
    setResult(F, O, S, Returned);
    report(F, O, S, E, Callee, This, Args, Stream, HasStream, PerThread,
           StreamText);
    if (CaptureId C =
            endCapture(F, O, S, E, HasStream ? Stream : None, PerThread);
        C != None) {
      Store(Arg("out"), D.value(ValueKind::Graph, Site, C));
      if (ValueId Holder = Arg("handle"); Holder != None)
        assign(
            S,
            D.loc(LocKind::Field, 0, D.pointee(Holder), None, "captured graph"),
            D.value(ValueKind::Exec, Site, C));
    } else if (ValueId Out = Arg("out"); Out != None) {
      Store(Out, D.opaque(Site));
    }
    return {std::move(S)};
  case Effect::GraphInstantiate: {
    ValueId Source = Unwrap(Arg("graph"));
    std::optional<CaptureId> Of;
    if (Source != None)
      D.visitTree(Source, [&](ValueId Part) {
        if (D[Part].Kind == ValueKind::Graph)
          Of = D[Part].A;
      });
    Store(Arg("out"),
          Of ? D.value(ValueKind::Exec, Site, *Of) : D.opaque(Site));
    break;
  }
  case Effect::GraphUpdate:
    if (ValueId G = Unwrap(Arg("graph")); G != None)
      D.visitTree(G, [&](ValueId Part) { Updated.insert(Part); });
    for (ValueId A : Args)
      D.visitTree(Unwrap(A), [&](ValueId Part) {
        if (D[Part].Kind == ValueKind::Graph || D[Part].Kind == ValueKind::Exec)
          Fresh.insert(D[Part].A);
      });
    break;
  case Effect::GraphRetain:
    if (ValueId Object = Unwrap(Arg("object")); Object != None)
      for (auto &[Known, Keys] : UserObjects)
        // One that comes from elsewhere may be any.
        if (Known == Object || D[Object].Kind != ValueKind::Opaque)
          Retained.insert(Keys.begin(), Keys.end());
    break;
  case Effect::GraphDestroy:
    if (ValueId G = Unwrap(Arg("graph")); G != None)
      S.Gone.set(keyOfValue(G), 0);
    break;
  case Effect::GraphLaunch: {
    ValueId G = Arg("graph");
    // An object of a library that holds a graph.
    if (G != None && D[G].Kind == ValueKind::Addr)
      G = read(S, D.loc(LocKind::Field, 0, D[G].A, None, "captured graph"));
    launchGraph(F, O, S, G);
    break;
  }
  case Effect::FreePinned:
  case Effect::FreeDevice: {
    // Under a capture CUDA refuses, unless the mode is relaxed.
    Fact Here;
    if (!S.Active.empty())
      Here = factAt(F, O, S, S.Active.back());
    if (S.Active.empty() || Here.Mode == catalogue::Mode::Relaxed)
      freed(F, O, S, Arg("ptr"));
    break;
  }
  case Effect::FreeHost:
    freed(F, O, S, Arg("ptr"));
    break;
  case Effect::FreeAsync:
    if (S.Active.empty()) // else it becomes a node
      freed(F, O, S, Arg("ptr"));
    break;
  case Effect::GraphManagement:
    // A user object keeps its data alive for the graphs that retain it.
    if (ValueId Data = Arg("data"); Data != None) {
      ValueId Object = D.opaque(Site);
      Store(Arg("out"), Object);
      UserObjects[Object].push_back(keyOfValue(baseOf(Data)));
      if (D[Data].Kind == ValueKind::Addr)
        UserObjects[Object].push_back(keyOfObject(D.root(D[Data].A)));
    } else if (ValueId Out = Arg("out"); Out != None) {
      ValueId Source = Unwrap(Arg("graph"));
      Store(Out, Source != None ? Source : D.opaque(Site));
    }
    break;
  case Effect::CaptureQuery: {
    ValueId Status =
        captureStatus(S, Stream, HasStream, Table.info(F.Function).PerThread);
    Store(Arg("status"), Status);
    if (E.Returns == "capture-status" || E.Returns == "bool-capturing")
      Returned = Status;
    else if (E.has(Trait::Throws) && !S.Active.empty())
      return {}; // it throws
    break;
  }
  case Effect::CaptureUpdate:
    blurLags(S, None);
    break;
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
    Store(Out, D.value(ValueKind::Stream, Site, elementOf(Out), Kind));
    break;
  }
  case Effect::EventCreate: {
    ValueId Out = Arg("out");
    ValueId Event = D.value(ValueKind::Event, Site, elementOf(Out));
    Store(Out, Event);
    if (Out != None)
      setRecorded(S, Event, {Recorded::Never});
    break;
  }
  case Effect::EventRecord: {
    ValueId Event = Unwrap(Arg("event"));
    ValueId Flags = Arg("flags");
    bool External = Flags != None && D.asInt(Flags).value_or(0) & 1;
    setResult(F, O, S, Returned);
    report(F, O, S, E, Callee, This, Args, Stream, HasStream, PerThread,
           StreamText);
    ValueId On = HasStream ? Stream : D.integer(0);
    Happen(TimelineKind::Record, On);
    if (External)
      noteWork(F, O, S, On, PerThread, StreamText);
    recordEvent(S, Event, On, PerThread, External);
    return {std::move(S)};
  }
  case Effect::StreamWaitEvent: {
    ValueId Event = Unwrap(Arg("event"));
    ValueId Flags = Arg("flags");
    bool External = Flags != None && D.asInt(Flags).value_or(0) & 1;
    setResult(F, O, S, Returned);
    report(F, O, S, E, Callee, This, Args, Stream, HasStream, PerThread,
           StreamText);
    bool Forks = HasStream && !memberOf(S, Stream, PerThread);
    if (External)
      noteWork(F, O, S, Stream, PerThread, StreamText);
    else if (HasStream)
      waitForEvent(S, Stream, Event, PerThread);
    Forks &= HasStream && memberOf(S, Stream, PerThread).has_value();
    Happen(Forks ? TimelineKind::Fork : TimelineKind::Wait,
           HasStream ? Stream : D.integer(0));
    return {std::move(S)};
  }
  case Effect::StreamDestroy:
    setResult(F, O, S, Returned);
    report(F, O, S, E, Callee, This, Args, Stream, HasStream, PerThread,
           StreamText);
    // The capture of a stream goes with it (measured: capture_matrix).
    for (unsigned I = S.Active.size(); I-- > 0 && HasStream;)
      if (Result.Captures[S.Active[I]].Origin == Stream) {
        CaptureId C = S.Active[I];
        addEnd(F, C, O.Range);
        S.Active.erase(S.Active.begin() + I);
        leaveCapture(S, C);
      }
    return {std::move(S)};
  case Effect::SetDevice: {
    ValueId Device = Args.empty() ? None : Unwrap(Args[0]);
    if (Device != None)
      assign(S, currentDevice(D), Device);
    break;
  }
  case Effect::CurrentStream:
    if (ValueId Out = Arg("out"); Out != None)
      Store(Out, read(S, currentStream(D)));
    else
      Returned = read(S, currentStream(D));
    break;
  case Effect::DefaultStream:
    Returned = D.integer(1);
    break;
  case Effect::PoolStream:
    Returned = D.value(ValueKind::Stream, Site, None,
                       static_cast<unsigned>(StreamKind::NonBlocking));
    break;
  case Effect::PolicyStream:
    Returned = HasStream ? Stream : D.opaque(Site);
    if (Info.IsConstructor && This != None)
      assign(S, D.pointee(This), Returned);
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
      ValueId Handle = D.value(ValueKind::Handle, Site);
      Store(Out, Handle);
      assign(S, handleStream(D, Handle), D.integer(0));
      assign(S, pointerMode(D, Handle), D.integer(0));
      assign(S, usedMark(D, Handle), D.integer(0));
      if (ValueId Kind = Arg("kind"); Kind != None)
        assign(S, generatorKind(D, Handle), Kind);
    }
    break;
  case Effect::CurrentHandle:
    Returned = D.value(ValueKind::Handle, Site);
    assign(S, handleStream(D, Returned), read(S, currentStream(D)));
    assign(S, pointerMode(D, Returned), D.integer(0));
    assign(S, usedMark(D, Returned), D.integer(1));
    break;
  case Effect::LibraryStream:
    if (ValueId Handle = Arg("handle"); Handle != None && HasStream) {
      assign(S, handleStream(D, Unwrap(Handle)), Stream);
    }
    break;
  case Effect::LibraryCall:
    noteRepeats(F, O, S, E, Arg("handle"));
    if (ValueId Handle = Arg("handle"); Handle != None && !HasStream) {
      if (std::optional<unsigned> V =
              S.Mem.lookup(handleStream(D, Unwrap(Handle)))) {
        Stream = *V;
        HasStream = true;
      } else if (E.has(Trait::Draws) && !S.Active.empty() &&
                 !S.Mem.contains(usedMark(D, Unwrap(Handle))) &&
                 D[Unwrap(Handle)].Kind == ValueKind::Init &&
                 livesWithGraph(D, D[Unwrap(Handle)].A) &&
                 !mayRunBefore(F.Function, S.Active.back())) {
        // The first draw, on a generator that was made elsewhere: on whatever
        // stream, it breaks the capture.
        Stream = Result.Captures[S.Active.back()].Origin;
        HasStream = true;
        assign(S, usedMark(D, Unwrap(Handle)), D.integer(0));
      } else if (const ValueNode N = D[Unwrap(Handle)];
                 N.Kind == ValueKind::Init &&
                 (D.at(N.A).Kind == LocKind::Field ||
                  D.at(N.A).Kind == LocKind::Global) &&
                 Rel.usesDefaultStream(D.text(D.at(N.A).S))) {
        Stream = D.integer(0); // what a handle uses that is never given one
        HasStream = true;
      } else {
        setResult(F, O, S, Returned);
        assign(S, usedMark(D, Unwrap(Handle)), D.integer(1));
        Happen(TimelineKind::Work, D.opaque(Domain::site(0, 0, 15)));
        return {std::move(S)}; // the handle's stream is not known
      }
    }
    break;
  case Effect::CopySync:
  case Effect::CopyAsync: {
    ValueId Dst = Arg("dst"), Kind = Arg("kind");
    std::optional<int64_t> N = Kind == None ? std::nullopt : D.asInt(Kind);
    bool ToHost = E.Direction == "d2h" ||
                  Catalogue.isValue(Role::CopiesToHost, N) ||
                  (Catalogue.isValue(Role::CopiesAnywhere, N) && Dst != None &&
                   D[Dst].Kind == ValueKind::Addr);
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
  case Effect::AllocDevice:
  case Effect::AllocAsync: {
    std::optional<Member> M =
        HasStream ? memberOf(S, Stream, PerThread) : std::nullopt;
    if (ValueId Out = Arg("out"); Out != None)
      Store(Out, M && M->Maybe
                     ? D.opaque(Site)
                     : D.value(ValueKind::Memory, Site, M ? M->Capture : None,
                               Arg("shared") != None ? 1 : None));
    break;
  }
  case Effect::LibraryReset:
    if (ValueId Handle = Arg("handle"); Handle != None)
      assign(S, usedMark(D, Unwrap(Handle)), D.integer(0));
    break;
  case Effect::PointerMode:
    if (ValueId Handle = Arg("handle"); Handle != None)
      assign(S, pointerMode(D, Unwrap(Handle)), Arg("mode"));
    break;
  case Effect::HostThread:
    setResult(F, O, S, Returned);
    report(F, O, S, E, Callee, This, Args, Stream, HasStream, PerThread,
           StreamText);
    startThread(F, O, S, E, This, Args);
    return {std::move(S)};
  case Effect::Invoke: {
    setResult(F, O, S, Returned);
    if (!E.has(Trait::Once) || Args.empty())
      return invokeCallables(F, O, std::move(S), Args);
    LocId Called =
        D.loc(LocKind::Field, 0, D.pointee(Args[0]), None, "called once");
    if (S.Mem.contains(Called))
      return {std::move(S)};
    States After = invokeCallables(F, O, std::move(S), Args);
    for (State &Each : After)
      assign(Each, Called, D.integer(1));
    return After;
  }
  case Effect::Terminate:
    S.Failing = true;
    break;
  default:
    if (ValueId Out = Arg("out"); Out != None) {
      // What is asked of a handle is its stream.
      ValueId Handle = E.Does == Effect::Neutral ? Arg("handle") : None;
      std::optional<unsigned> Known =
          Handle == None ? std::nullopt
                         : S.Mem.lookup(handleStream(D, Unwrap(Handle)));
      Store(Out, Known ? *Known : D.opaque(Site));
    }
    break;
  }
  setResult(F, O, S, Returned);
  if (HasStream && (isWork(E.Does) || E.Does == Effect::GraphLaunch ||
                    E.Does == Effect::StreamCallback))
    Happen(TimelineKind::Work, Stream);
  report(F, O, S, E, Callee, This, Args, Stream, HasStream, PerThread,
         StreamText);
  if (isWork(E.Does))
    keepArgs(F, O, S, &E, This, Args, Stream, HasStream, PerThread);
  if (E.Does == Effect::HostFunction &&
      (!HasStream || memberOf(S, Stream, PerThread)))
    runCallback(F, O, S, Arg("callable"), Arg("data"));
  if (ValueId Container = Arg("storage"); Container != None)
    moved(F, O, S, Container);
  if (HasStream && isWork(E.Does))
    noteWork(F, O, S, Stream, PerThread, StreamText);
  if (ValueId Handle = Arg("handle");
      Handle != None && E.Does == Effect::LibraryCall)
    assign(S, usedMark(D, Unwrap(Handle)), D.integer(1));
  return {std::move(S)};
}

} // namespace cudagraph
