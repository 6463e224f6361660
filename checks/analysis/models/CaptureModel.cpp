//===- CaptureModel.cpp - How captures begin and end ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CaptureModel.h.
//
//===----------------------------------------------------------------------===//

#include "CaptureModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Cell;
using catalogue::Effect;
using catalogue::StreamKind;
using catalogue::StreamRelation;

/// The capture that begins at \p C, without the enclosing function.
CaptureRecord CaptureModel::recordOf(const Call &C, const State &S) {
  CaptureRecord R;
  R.Root = C.Api.has(catalogue::Trait::Tensors) ? RootKind::Libtorch
                                                : RootKind::ApiPair;
  R.Origin = C.HasStream ? C.Stream : read(D, S, D.slot(Slot::CurrentStream));
  R.StreamText = C.StreamText;
  if (!C.HasStream)
    R.StreamName = "the current stream";
  R.BeginName = C.Api.Name;
  ValueId M = C.arg("mode");
  if (M == None)
    R.Mode = catalogue::Mode::Global;
  else if (std::optional<int64_t> N = D.asInt(M); N && *N >= 0 && *N <= 2)
    R.Mode = static_cast<catalogue::Mode>(*N);
  if (D.asInt(R.Origin) == 0 && C.PerThread)
    R.Origin = D.integer(2);
  R.BeginResult = C.Site;
  return R;
}

/// True if \p Origin is the legacy default stream, which cannot capture.
static bool isLegacy(const Domain &D, ValueId Origin) {
  std::optional<int64_t> Handle = D.asInt(Origin);
  return Handle && *Handle != 2;
}

/// True if \p O, in \p F, begins the capture \p R again through the same calls,
/// as in a loop. Another call to a function that begins a capture begins a
/// different one.
static bool isSameBegin(const CaptureRecord &R, const Frame &F, const Op &O) {
  if (R.BeginCall.Begin != O.Range.Begin)
    return false;
  const Op *At = &O;
  for (const Frame *Each = &F; Each && At;
       At = Each->CallSite, Each = Each->Parent)
    if (Each->Function == R.Home)
      return At->Range.Begin == R.Site.Begin;
  return true;
}

/// True if \p O may call a function without a visible body, through a pointer
/// or a virtual method.
bool CaptureModel::isUnseen(const Op &O) const {
  if (O.Kind != OpKind::Call)
    return false;
  if (O.How == Dispatch::Indirect)
    return !O.IsLambda;
  return O.How == Dispatch::Virtual && O.Callee != None &&
         llvm::any_of(Rel.overridersOf(O.Callee),
                      [&](FunctionId Each) { return !Table.hasGraph(Each); });
}

bool CaptureModel::isSilent(Call &C, const State &S) {
  if (C.Api.Does != Effect::CaptureBegin)
    return false;
  // A function without source may have ended the capture.
  for (const Frame *Each = &C.F; Each && !S.Active.empty();
       Each = Each->Parent) {
    bool Unseen = llvm::any_of(Each->Graph->Blocks, [&](const Block &B) {
      return llvm::any_of(B.Ops, [&](const Op &O) { return isUnseen(O); });
    });
    if (Unseen || Rel.bits(Each->Function) & Relevance::Hides)
      C.Operands = Evidence::EndsOnPath;
    if (Each->Function == Result.Captures[S.Active.back()].Home)
      break;
  }
  ValueId Origin = recordOf(C, S).Origin;
  if (isLegacy(D, Origin) && S.Active.empty())
    return true;
  // In a loop, an element of an array is a different stream each time.
  return !Streams.staysSame(S, Origin) &&
         llvm::any_of(S.Active, [&](CaptureId Each) {
           return isSameBegin(Result.Captures[Each], C.F, C.O);
         });
}

Model::Then CaptureModel::apply(Call &C, State &S) {
  switch (C.Api.Does) {
  case Effect::CaptureBegin: {
    CaptureRecord R = recordOf(C, S);
    bool Legacy = isLegacy(D, R.Origin);
    if (Legacy && S.Active.empty())
      refuse(C, S, std::move(R));
    if (Legacy)
      return Then::Follow;
    S.OtherThread = false; // after this, the stream is capturing
    open(C.F, C.O, S, std::move(R));
    noteUnchecked(C, S);
    noteForCallers(C, S);
    noteOtherObjects(C, S);
    Use.Others.captureBegan(C.F, C.O, S);
    return Then::Follow;
  }
  case Effect::CaptureEnd:
    if (CaptureId Ended = end(C, S); Ended != None) {
      store(S, C.arg("out"), D.value(ValueKind::Graph, C.Site, Ended));
      if (ValueId Holder = C.arg("handle"); Holder != None)
        assign(D, S, D.slotOf(Slot::CapturedGraph, D.pointee(Holder)),
               D.value(ValueKind::Exec, C.Site, Ended));
    } else if (ValueId Out = C.arg("out"); Out != None) {
      store(S, Out, D.opaque(C.Site));
    }
    return Then::Follow;
  case Effect::StreamDestroy:
    destroyed(C, S);
    return Then::Follow;
  case Effect::CaptureQuery:
    return query(C, S) ? Then::Follow : Then::Throw;
  case Effect::ModeExchange:
    exchangeMode(C, S);
    return Then::Follow;
  default:
    return Then::Follow;
  }
}

void CaptureModel::open(Frame &F, const Op &O, State &S, CaptureRecord R) {
  S.Unparsed = std::min<uint8_t>(S.Unparsed, State::UnparsedBefore);
  R.Home = F.Function;
  R.HomeBlock = F.Block;
  R.Site = R.BeginCall = O.Range;
  R.BeginIn = F.Function;
  if (!R.Kind)
    R.Kind = Streams.kindOf(S, R.Origin);
  Streams.noteOrigin(S, R.Origin);
  // A function that captures a stream from its caller is a wrapper: the region
  // belongs to the caller.
  if (F.Parent && R.Root != RootKind::Comment) {
    bool TakesCode = false;
    for (unsigned I = 0; I < F.Graph->NumParams; ++I) {
      ValueId V = read(D, S, D.loc(LocKind::Var, I, F.Function));
      if (D[V].Kind == ValueKind::Addr)
        V = read(D, S, D[V].A);
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
  // CUDA refuses a second begin call: there is still one capture.
  for (CaptureId C : S.Active)
    if (Result.Captures[C].Origin == R.Origin &&
        D[R.Origin].Kind != ValueKind::Opaque) {
      // No caller captures a stream that the function captures itself.
      RootKind Root = Result.Captures[C].Root;
      Result.Refuted |=
          Root == RootKind::StreamParam || Root == RootKind::EntryPoints;
      return;
    }
  // A loop over several streams: one region stands for all of them.
  for (CaptureId C : S.Active)
    if (Result.Captures[C].BeginCall.Begin == O.Range.Begin &&
        Result.Captures[C].Home == R.Home) {
      S.Streams.set(R.Origin, Member{C, false, true}.encode());
      return;
    }
  CaptureId C = Facts.intern(std::move(R));
  Use.Times.begin(F, C);
  ValueId Device = read(D, S, D.slot(Slot::CurrentDevice));
  assign(D, S, D.slot(Slot::CapturingDevice),
         D.asInt(Device) ? Device : D.integer(0));
  if (!llvm::is_contained(S.Active, C))
    S.Active.push_back(C);
}

/// Handles a begin call on the legacy default stream, which cannot capture. The
/// finding's region is only the begin call.
void CaptureModel::refuse(Call &C, State &S, CaptureRecord R) {
  R.Home = R.BeginIn = C.F.Function;
  R.HomeBlock = C.F.Block;
  R.Site = R.BeginCall = C.O.Range;
  R.Kind = StreamKind::Blocking;
  R.Refused = true;
  Situation Where;
  Where.Relation = StreamRelation::Legacy;
  for (unsigned M = 0; M < 3; ++M) {
    std::optional<Cell> Any =
        C.Api.outcome(StreamRelation::Legacy, StreamKind::NonBlocking,
                      static_cast<catalogue::Mode>(M));
    if (!Any)
      return;
    Where.ByMode[M] = *Any;
  }
  CaptureId Refused = Facts.intern(std::move(R));
  Use.Times.begin(C.F, Refused);
  Fact Result = Facts.at(C.F, C.O, S, Refused);
  Result.Api = &C.Api;
  Result.Callee = C.Api.Name;
  auto &Call = Result.become<FactKind::ApiCall>();
  Call.HasStream = true;
  Call.Situations.push_back(Where);
  Facts.record(std::move(Result));
}

/// Ends a capture and returns it; None if no capture ends here.
CaptureId CaptureModel::end(Call &C, State &S) {
  if (S.Active.empty())
    return None;
  ValueId Stream = C.HasStream ? C.Stream : None;
  unsigned Which = S.Active.size() - 1;
  bool Known = Stream == None || !Streams.isIdentity(Stream);
  for (unsigned I = S.Active.size(); Stream != None && I-- > 0;)
    if (Result.Captures[S.Active[I]].Origin == Stream) {
      Which = I;
      Known = true;
      break;
    }
  // CUDA refuses to end a capture on a stream that did not begin it. An unknown
  // stream is assumed to be the correct one.
  for (unsigned I = S.Active.size(); !Known && I-- > 0;)
    for (StreamRelation R :
         Streams.relations(S, S.Active[I], Stream, C.PerThread))
      if (R == StreamRelation::Origin) {
        Which = I;
        Known = true;
      }
  if (!Known) {
    // Code that checks the result does not continue as if the graph existed.
    S.Failing |= !C.O.Discarded;
    return None;
  }
  CaptureId Ended = S.Active[Which];
  Use.Others.captureEnds(C.F, C.O, S, Ended, &C.Api);
  noteUnchecked(C, S);
  Use.Times.end(C.F, Ended, C.O.Range);
  S.Active.erase(S.Active.begin() + Which);
  Use.Others.captureLeft(S, Ended);
  Use.Others.captureEnded(S, Ended);
  return Ended;
}

/// Destroying a stream ends its capture (measured: capture_matrix).
void CaptureModel::destroyed(Call &C, State &S) {
  for (unsigned I = S.Active.size(); I-- > 0 && C.HasStream;)
    if (CaptureId Ended = S.Active[I];
        Result.Captures[Ended].Origin == C.Stream) {
      Use.Times.end(C.F, Ended, C.O.Range);
      S.Active.erase(S.Active.begin() + I);
      Use.Others.captureLeft(S, Ended);
    }
}

void CaptureModel::exchangeMode(Call &C, State &S) {
  ValueId M = C.arg("mode");
  bool Pointer = M != None && C.Api.Returns == "status";
  ValueId New = Pointer ? read(D, S, D.pointee(M)) : held(S, M);
  ValueId Old = D.integer(S.ThreadMode < 0 ? 0 : S.ThreadMode);
  if (C.This != None)
    assign(D, S, D.slotOf(Slot::RestoredMode, D.pointee(C.This)), Old);
  std::optional<int64_t> N = New == None ? std::nullopt : D.asInt(New);
  S.ThreadMode = N && *N > 0 && *N <= 2 ? static_cast<int>(*N) : -1;
  if (Pointer)
    store(S, M, Old);
  if (Returns *Left = C.F.Left) {
    if (S.ThreadMode == Left->Mode)
      Left->Restores = true;
    else
      Left->Exchange = C.O.Range;
  }
}

bool CaptureModel::restoreMode(State &S, ValueId This) {
  std::optional<unsigned> V =
      S.Mem.lookup(D.slotOf(Slot::RestoredMode, D.pointee(This)));
  if (!V)
    return false;
  std::optional<int64_t> N = D.asInt(*V);
  S.ThreadMode = N && *N > 0 ? static_cast<int>(*N) : -1;
  return true;
}

/// Reports that the result of a begin or end call is not checked: a null graph,
/// or a capture that never began, goes unnoticed.
void CaptureModel::noteUnchecked(Call &C, State &S) {
  if (!C.O.Discarded || C.Api.Returns != "status" || S.OtherThread ||
      S.Active.empty())
    return;
  Fact Result = Facts.at(C.F, C.O, S, S.Active.back());
  Result.become<FactKind::Unchecked>();
  Result.Api = &C.Api;
  Result.Callee = C.Api.Name;
  Result.restOn(Evidence::IgnoredResult);
  Facts.record(std::move(Result));
}

void CaptureModel::regionScope(Frame &F, const Op &O, State &S,
                               const FunctionInfo &Info,
                               llvm::ArrayRef<ValueId> Args) {
  if (Info.IsConstructor) {
    CaptureRecord R;
    R.Root = RootKind::Annotation;
    R.Origin = Args.empty() ? D.opaque(Domain::site(F.Function, 0, 13))
                            : held(S, Args[0]);
    if (!O.Args.empty())
      R.StreamText = O.Args[0].Range;
    R.BeginName = Info.Class;
    open(F, O, S, std::move(R));
    return;
  }
  closeInnermost(F, O, S, RootKind::Annotation);
}

/// Ends the innermost region with the root kind \p Root.
void CaptureModel::closeInnermost(Frame &F, const Op &O, State &S,
                                  RootKind Root) {
  for (unsigned I = S.Active.size(); I-- > 0;)
    if (Result.Captures[S.Active[I]].Root == Root) {
      Use.Times.end(F, S.Active[I], O.Range);
      S.Active.erase(S.Active.begin() + I);
      break;
    }
}

void CaptureModel::markerBegin(Frame &F, const Op &O, State &S,
                               ValueId Stream) {
  CaptureRecord R;
  R.Root = RootKind::Comment;
  R.Origin = Stream;
  R.StreamName = O.Text;
  R.BeginName = "begin-capture";
  open(F, O, S, std::move(R));
}

void CaptureModel::markerEnd(Frame &F, const Op &O, State &S) {
  closeInnermost(F, O, S, RootKind::Comment);
}

} // namespace cudagraph
