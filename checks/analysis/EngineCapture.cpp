//===- EngineCapture.cpp - Captures and their streams ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where captures begin and end, which streams take part in them, and what is
// known of a stream's kind. An unknown stream is unknown: every relation that
// is possible is kept.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Cell;
using catalogue::StreamKind;
using catalogue::StreamRelation;

void Engine::beginCapture(Frame &F, const Op &O, State &S, CaptureRecord R) {
  S.Unparsed = std::min<uint8_t>(S.Unparsed, State::UnparsedBefore);
  R.Home = F.Function;
  R.HomeBlock = F.Block;
  R.Site = R.BeginCall = O.Range;
  R.BeginIn = F.Function;
  if (!R.Kind)
    R.Kind = kindOf(S, R.Origin);
  // A function that captures what its caller hands it is a wrapper: the
  // region is the caller's.
  if (F.Parent && R.Root != RootKind::Comment) {
    bool TakesCode = false;
    for (unsigned I = 0; I < F.Graph->NumParams; ++I) {
      ValueId V = read(S, D.loc(LocKind::Var, I, F.Function));
      if (D[V].Kind == ValueKind::Addr)
        V = read(S, D[V].A);
      TakesCode |=
          D[V].Kind == ValueKind::Closure || D[V].Kind == ValueKind::Function;
    }
    if (TakesCode) {
      R.Home = F.Parent->Function;
      R.HomeBlock = F.CallBlock;
      R.Site = F.CallSite->Range;
      R.Root = RootKind::Wrapper;
    }
  }
  // CUDA refuses to begin twice: there is still one capture.
  for (CaptureId C : S.Active)
    if (Result.Captures[C].Origin == R.Origin &&
        D[R.Origin].Kind != ValueKind::Opaque)
      return;
  // A loop over several streams: one region stands for all of them.
  for (CaptureId C : S.Active)
    if (Result.Captures[C].BeginCall.Begin == O.Range.Begin &&
        Result.Captures[C].Home == R.Home) {
      S.Streams.set(R.Origin, Member{C, false, true}.encode());
      return;
    }
  CaptureId C = intern(std::move(R));
  addBegin(F, C);
  ValueId Device = read(S, currentDevice(D));
  assign(S, capturingDevice(D), D.asInt(Device) ? Device : D.integer(0));
  if (!llvm::is_contained(S.Active, C))
    S.Active.push_back(C);
}

/// The legacy default stream cannot capture: a finding, whose region is the
/// begin alone.
void Engine::refuseBegin(Frame &F, const Op &O, State &S,
                         const catalogue::Entry &E, CaptureRecord R) {
  R.Home = R.BeginIn = F.Function;
  R.HomeBlock = F.Block;
  R.Site = R.BeginCall = O.Range;
  R.Kind = StreamKind::Blocking;
  R.Refused = true;
  std::optional<Cell> Any;
  Situation Where;
  Where.Relation = StreamRelation::Legacy;
  for (unsigned M = 0; M < 3; ++M) {
    Any = E.outcome(StreamRelation::Legacy, StreamKind::NonBlocking,
                    static_cast<catalogue::Mode>(M));
    if (!Any)
      return;
    Where.ByMode[M] = *Any;
  }
  CaptureId C = intern(std::move(R));
  addBegin(F, C);
  Fact Result = factAt(F, O, S, C);
  Result.Api = &E;
  Result.Callee = E.Name;
  Result.HasStream = true;
  Result.Situations.push_back(Where);
  record(std::move(Result));
}

/// Ends a capture, and returns which; None if no capture ends here.
CaptureId Engine::endCapture(Frame &F, const Op &O, State &S,
                             const catalogue::Entry &E, ValueId Stream,
                             bool PerThread) {
  if (S.Active.empty())
    return None;
  unsigned Which = S.Active.size() - 1;
  bool Known = Stream == None || !isIdentity(Stream);
  for (unsigned I = S.Active.size(); Stream != None && I-- > 0;)
    if (Result.Captures[S.Active[I]].Origin == Stream) {
      Which = I;
      Known = true;
      break;
    }
  // CUDA refuses to end a capture on a stream that did not begin it. Where it
  // is not known to be another one, it is taken to be the right one.
  for (unsigned I = S.Active.size(); !Known && I-- > 0;)
    for (StreamRelation R : relations(S, S.Active[I], Stream, PerThread))
      if (R == StreamRelation::Origin) {
        Which = I;
        Known = true;
      }
  if (!Known)
    return None;
  CaptureId C = S.Active[Which];
  checkJoined(F, O, S, C, &E);
  noteUnchecked(F, O, S, E);
  addEnd(F, C, O.Range);
  S.Active.erase(S.Active.begin() + Which);
  leaveCapture(S, C);
  endOfCapture(S, C);
  return C;
}

/// Looks at the path that a failed call takes, which is not walked: calls
/// succeed. A return there leaves the capture open, unless the call was the
/// begin itself, or something on the way ends it.
void Engine::noteFailureExit(Frame &F, const State &S, ValueId Cond,
                             unsigned To) {
  if (S.Active.empty() || S.Failing)
    return;
  int64_t Begin = Result.Captures[S.Active.back()].BeginResult;
  bool OfBegin = false;
  D.visitTree(Cond, [&](ValueId V) {
    OfBegin |= D[V].Kind == ValueKind::Status && D[V].N == Begin;
  });
  for (unsigned Guard = 0; Guard < 8 && !OfBegin; ++Guard) {
    const Block &B = F.Graph->Blocks[To];
    if (B.NeverReturns)
      return;
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::Return)
        return noteOpenReturn(F, O, S, /*Unwalked=*/true);
      if (O.Kind != OpKind::Call || O.Callee == None)
        continue;
      const catalogue::Entry *E = Rel.entryFor(O.Callee);
      if ((E && E->Does == catalogue::Effect::CaptureEnd) ||
          (Rel.bits(O.Callee) & Relevance::Ends))
        return;
    }
    if (B.Succs.size() != 1)
      return;
    To = B.Succs.front().To;
  }
}

/// A return under a capture that this function began: a leak if other paths
/// end it, which the end of the walk knows.
void Engine::noteOpenReturn(Frame &F, const Op &O, const State &S,
                            bool Unwalked) {
  if (S.Active.empty() || S.OtherThread || !F.OpenReturns || !O.Range.Begin)
    return;
  CaptureId C = S.Active.back();
  const CaptureRecord &R = Result.Captures[C];
  if (R.BeginIn != F.Function || R.Home != F.Function ||
      (R.Root != RootKind::ApiPair && R.Root != RootKind::Libtorch))
    return;
  Fact Leak = factAt(F, O, S, C);
  Leak.Kind = FactKind::OpenEnd;
  Leak.Callee = R.BeginName;
  Leak.Unwalked = Unwalked;
  Leak.What = O.Kind == OpKind::Return ? "return" : "throw";
  // What a macro returns is the failure of a call, which ends most programs.
  bool Written = !Table.site(O.Range).InMacro;
  Leak.Sure = Written ? Confidence::Likely : Confidence::Possible;
  Situation Where;
  Where.Relation = StreamRelation::Origin;
  for (Cell &Each : Where.ByMode)
    Each = {Cell::Error, 900, false};
  Leak.Situations.push_back(Where);
  F.OpenReturns->push_back(std::move(Leak));
}

void Engine::addEnd(const Frame &F, CaptureId C, Span Where) {
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

/// The first entry of the timeline of \p C.
void Engine::addBegin(const Frame &F, CaptureId C) {
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

/// The status a query returns: 0 none, 1 active. Where it is not known whether
/// the stream takes part, the guard is trusted.
ValueId Engine::captureStatus(State &S, ValueId Stream, bool HasStream,
                              bool PerThread) {
  if (S.Active.empty())
    return D.integer(0);
  if (!HasStream)
    return D.integer(1);
  for (CaptureId C : S.Active)
    for (StreamRelation R : relations(S, C, Stream, PerThread)) {
      bool Foreign = R == StreamRelation::Other ||
                     R == StreamRelation::PerThread ||
                     (R == StreamRelation::Legacy &&
                      Result.Captures[C].Kind == StreamKind::NonBlocking);
      if (!Foreign)
        return D.integer(1);
    }
  return D.integer(0);
}

/// What \p Stream may be, seen from capture \p C.
llvm::SmallVector<StreamRelation, 6>
Engine::relations(const State &S, CaptureId C, ValueId Stream, bool PerThread) {
  using R = StreamRelation;
  const llvm::SmallVector<R, 6> Any{R::Origin, R::Joined, R::Other, R::Legacy,
                                    R::PerThread};
  ValueId Origin = Result.Captures[C].Origin;
  if (PerThread && D.asInt(Stream) == 0)
    Stream = D.integer(2); // the same stream under its other name
  const ValueNode N = D[Stream], From = D[Origin];
  if (Stream == Origin)
    return {R::Origin};
  std::optional<unsigned> M = S.Streams.lookup(Stream);
  // What joined as some element of an array covers each element.
  if (!M && N.Kind == ValueKind::Stream && N.A != None)
    M = S.Streams.lookup(D.value(ValueKind::Stream, N.N, None, N.B));
  if (M) {
    Member In = Member::decode(*M);
    if (In.Capture != C)
      return {R::Other};
    if (!In.Maybe)
      return {R::Joined};
    return {R::Joined, R::Other};
  }
  switch (N.Kind) {
  case ValueKind::Int:
    if (N.N == 0)
      return {PerThread ? R::PerThread : R::Legacy};
    return N.N == 1 ? llvm::SmallVector<R, 6>{R::Legacy}
                    : llvm::SmallVector<R, 6>{R::PerThread};
  case ValueKind::Phi: {
    llvm::ArrayRef<ValueId> All = D.candidates(Stream);
    if (All.empty())
      return Any;
    llvm::SmallVector<R, 6> Union;
    for (ValueId V : All) {
      if (D[V].Kind == ValueKind::Phi)
        return Any;
      for (R X : relations(S, C, V, PerThread))
        if (!llvm::is_contained(Union, X))
          Union.push_back(X);
    }
    return Union;
  }
  case ValueKind::Stream:
    if (From.Kind == ValueKind::Stream && From.N == N.N &&
        (From.A == None || N.A == None))
      return {R::Origin, R::Other}; // elements of one array
    if (From.Kind == ValueKind::Stream || From.Kind == ValueKind::Init ||
        From.Kind == ValueKind::Int)
      return {R::Other};
    return Any;
  case ValueKind::Init:
    // PyTorch captures on a stream of its own.
    if (OperatorRoot != None && isOwnStream(N.A))
      return {R::Other};
    // A stream that the root was given cannot be one that it created.
    if (From.Kind == ValueKind::Stream && D.at(N.A).Kind == LocKind::Var)
      return {R::Other};
    if (From.Kind == ValueKind::Init && isOwnStream(N.A) &&
        isOwnStream(From.A) && D.at(N.A).S != D.at(From.A).S)
      return {R::Other};
    return Any;
  default:
    return Any;
  }
}

/// True for a member or global that holds a stream created for it alone.
bool Engine::isOwnStream(LocId L) const {
  LocKind K = D.at(L).Kind;
  if (K != LocKind::Field && K != LocKind::Global)
    return false;
  const WriteSummary *W = Rel.writes(D.text(D.at(L).S));
  return W && !W->Other &&
         (W->CreatedBlocking || W->CreatedNonBlocking || W->CreatedUnknown);
}

std::optional<StreamKind> Engine::kindOf(const State &S, ValueId Stream) {
  const ValueNode N = D[Stream];
  switch (N.Kind) {
  case ValueKind::Stream:
    if (N.B == None)
      return std::nullopt;
    return static_cast<StreamKind>(N.B);
  case ValueKind::Int:
    return StreamKind::Blocking; // the per-thread default stream
  case ValueKind::Phi: {
    std::optional<StreamKind> All;
    for (ValueId C : D.candidates(Stream)) {
      std::optional<StreamKind> K =
          D[C].Kind == ValueKind::Phi ? std::nullopt : kindOf(S, C);
      if (!K || (All && *All != *K))
        return std::nullopt;
      All = K;
    }
    return All;
  }
  case ValueKind::Init: {
    if (N.A == currentStream(D))
      return StreamKind::NonBlocking; // frameworks capture on pool streams
    const LocNode L = D.at(N.A);
    LocId Named = L.Kind == LocKind::Elem ? L.A : N.A;
    if (D.at(Named).Kind != LocKind::Field &&
        D.at(Named).Kind != LocKind::Global)
      return std::nullopt;
    const WriteSummary *W = Rel.writes(D.text(D.at(Named).S));
    if (!W || W->Other || W->CreatedUnknown ||
        W->CreatedBlocking == W->CreatedNonBlocking)
      return std::nullopt;
    return W->CreatedBlocking ? StreamKind::Blocking : StreamKind::NonBlocking;
  }
  default:
    return std::nullopt;
  }
}

Engine::States Engine::regionScope(Frame &F, const Op &O, State S,
                                   const FunctionInfo &Info,
                                   llvm::ArrayRef<ValueId> Args) {
  if (Info.IsConstructor) {
    CaptureRecord R;
    R.Root = RootKind::Annotation;
    R.Origin = Args.empty() ? D.opaque(Domain::site(F.Function, 0, 13))
               : D[Args[0]].Kind == ValueKind::Addr ? read(S, D[Args[0]].A)
                                                    : Args[0];
    if (!O.Args.empty())
      R.StreamText = O.Args[0].Range;
    R.BeginName = Info.Class;
    beginCapture(F, O, S, std::move(R));
    return {std::move(S)};
  }
  for (unsigned I = S.Active.size(); I-- > 0;)
    if (Result.Captures[S.Active[I]].Root == RootKind::Annotation) {
      addEnd(F, S.Active[I], O.Range);
      S.Active.erase(S.Active.begin() + I);
      break;
    }
  return {std::move(S)};
}

/// Undoes what the constructor of a stream or mode guard did.
bool Engine::restoreGuard(State &S, const FunctionInfo &, ValueId This) {
  if (This == None)
    return false;
  bool Restored = false;
  LocId Self = D.pointee(This);
  LocId Mode = D.loc(LocKind::Field, 0, Self, None, "restored mode");
  if (std::optional<unsigned> V = S.Mem.lookup(Mode)) {
    std::optional<int64_t> N = D.asInt(*V);
    S.ThreadMode = N && *N > 0 ? static_cast<int>(*N) : -1;
    Restored = true;
  }
  LocId Stream = D.loc(LocKind::Field, 0, Self, None, "restored stream");
  if (std::optional<unsigned> V = S.Mem.lookup(Stream)) {
    ValueId Old = *V;
    assign(S, currentStream(D), Old);
    Restored = true;
  }
  return Restored;
}

} // namespace cudagraph
