//===- LibraryModel.cpp - Handles of libraries ----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LibraryModel.h.
//
//===----------------------------------------------------------------------===//

#include "LibraryModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;
using catalogue::Role;
using catalogue::Trait;

Model::Then LibraryModel::apply(Call &C, State &S) {
  ValueId Handle = C.arg("handle");
  switch (C.Api.Does) {
  case Effect::LibraryHandle:
    if (ValueId Out = C.arg("out"); Out != None) {
      ValueId New = D.value(ValueKind::Handle, C.Site);
      store(S, Out, New);
      assign(D, S, in(Slot::LibraryStream, New), D.integer(0));
      assign(D, S, in(Slot::PointerMode, New), D.integer(0));
      assign(D, S, in(Slot::LibraryUsed, New), D.integer(0));
      if (ValueId Kind = C.arg("kind"); Kind != None)
        assign(D, S, in(Slot::GeneratorKind, New), Kind);
    }
    break;
  case Effect::CurrentHandle:
    C.Returned = D.value(ValueKind::Handle, C.Site);
    assign(D, S, in(Slot::LibraryStream, C.Returned),
           read(D, S, D.slot(Slot::CurrentStream)));
    assign(D, S, in(Slot::PointerMode, C.Returned), D.integer(0));
    assign(D, S, in(Slot::LibraryUsed, C.Returned), D.integer(1));
    break;
  case Effect::LibraryStream:
    if (Handle != None && C.HasStream)
      assign(D, S, in(Slot::LibraryStream, held(S, Handle)), C.Stream);
    break;
  case Effect::LibraryCall:
    return call(C, S);
  case Effect::LibraryReset:
    if (Handle != None)
      assign(D, S, in(Slot::LibraryUsed, held(S, Handle)), D.integer(0));
    break;
  case Effect::PointerMode:
    if (Handle != None)
      assign(D, S, in(Slot::PointerMode, held(S, Handle)), C.arg("mode"));
    break;
  default:
    if (ValueId Out = C.arg("out"); Out != None) {
      // What is asked of a handle is its stream.
      ValueId Of = C.Api.Does == Effect::Neutral ? Handle : None;
      std::optional<unsigned> Known =
          Of == None ? std::nullopt
                     : S.Mem.lookup(in(Slot::LibraryStream, held(S, Of)));
      store(S, Out, Known ? *Known : D.opaque(C.Site));
    }
    break;
  }
  return Then::Follow;
}

/// The slot \p Which of what \p Handle points to.
LocId LibraryModel::in(Slot Which, ValueId Handle) {
  return D.slotOf(Which, D.pointee(Handle));
}

/// The stream that the handle in a member is given whenever it is given one:
/// that of a member beside it. None if that is not known.
ValueId LibraryModel::givenStream(const State &S, ValueId Handle) {
  const ValueNode N = D[Handle];
  if (N.Kind != ValueKind::Init || D.at(N.A).Kind != LocKind::Field)
    return None;
  const LocNode Member = D.at(N.A);
  const std::string *Beside = Rel.streamOfHandle(D.text(Member.S));
  if (!Beside)
    return None;
  LocId L = D.loc(LocKind::Field, 0, Member.A, None, *Beside);
  ValueId Stream = read(D, S, L);
  bool Captures = llvm::any_of(S.Active, [&](CaptureId C) {
    return Result.Captures[C].Origin == Stream;
  });
  return Captures || Streams.isOwnStream(L) ? Stream : None;
}

/// A call that works on the stream of its handle.
Model::Then LibraryModel::call(Call &C, State &S) {
  noteRepeats(C, S);
  ValueId Given = C.arg("handle");
  if (Given == None || C.HasStream)
    return Then::Follow;
  ValueId Handle = held(S, Given);
  const ValueNode N = D[Handle];
  if (std::optional<unsigned> V =
          S.Mem.lookup(in(Slot::LibraryStream, Handle))) {
    C.Stream = *V;
    C.HasStream = true;
  } else if (C.Api.has(Trait::Draws) && !S.Active.empty() &&
             !S.Mem.contains(in(Slot::LibraryUsed, Handle)) &&
             N.Kind == ValueKind::Init && livesWithGraph(D, N.A) &&
             !W.mayRunBefore(C.F.Function, S.Active.back())) {
    // The first draw, on a generator that was made elsewhere: on whatever
    // stream, it breaks the capture.
    C.Stream = Result.Captures[S.Active.back()].Origin;
    C.HasStream = true;
    assign(D, S, in(Slot::LibraryUsed, Handle), D.integer(0));
  } else if (N.Kind == ValueKind::Init &&
             (D.at(N.A).Kind == LocKind::Field ||
              D.at(N.A).Kind == LocKind::Global) &&
             Rel.usesDefaultStream(D.text(D.at(N.A).S))) {
    C.Stream = D.integer(0); // what a handle uses that is never given one
    C.HasStream = true;
  } else if (ValueId Given = givenStream(S, Handle); Given != None) {
    C.Stream = Given;
    C.HasStream = true;
  } else {
    // The handle's stream is not known.
    setResult(D, C.F, C.O, S, C.Returned);
    assign(D, S, in(Slot::LibraryUsed, Handle), D.integer(1));
    Happening H;
    H.Label = C.Api.Name;
    H.Where = C.O.Range;
    H.StreamText = C.StreamText;
    happen(Use, C.F, S, std::move(H), D.opaque(Domain::site(0, 0, 15)),
           C.PerThread);
    return Then::Stop;
  }
  return Then::Follow;
}

void LibraryModel::after(Call &C, State &S) {
  // Seeding in a kernel starts the same numbers on each replay.
  if (C.isKernel() && C.Info && C.Info->SeedsGenerator && !S.OtherThread &&
      Streams.memberOf(S, C.Stream, C.PerThread)) {
    Fact R = Facts.at(C.F, C.O, S, S.Active.back());
    R.become<FactKind::Seeds>();
    R.Callee = C.Info->Name;
    R.restOn(Evidence::RepeatedNumbers);
    Facts.record(std::move(R));
  }
  if (ValueId Handle = C.arg("handle");
      Handle != None && C.Api.Does == Effect::LibraryCall)
    assign(D, S, in(Slot::LibraryUsed, held(S, Handle)), D.integer(1));
}

void LibraryModel::noteAge(Call &C, State &S) {
  if (C.Api.Does != Effect::LibraryCall || !C.Info->HeaderVersion ||
      C.Info->HeaderVersion >= static_cast<unsigned>(C.Api.Since) ||
      S.Active.empty() || S.OtherThread || S.InCallback)
    return;
  Fact R = Facts.at(C.F, C.O, S, S.Active.back());
  R.Api = &C.Api;
  R.Callee = C.Api.Name;
  R.become<FactKind::OldLibrary>().Text = C.Api.SinceText;
  Facts.record(std::move(R));
}

/// A generator that keeps its state on the host draws the same numbers on each
/// replay.
void LibraryModel::noteRepeats(Call &C, State &S) {
  ValueId Handle = C.arg("handle");
  if (!C.Api.has(Trait::Draws) || Handle == None || S.Active.empty() ||
      S.OtherThread || S.Failing)
    return;
  Handle = held(S, Handle);
  std::optional<int64_t> Kind;
  if (std::optional<unsigned> V = S.Mem.lookup(in(Slot::GeneratorKind, Handle)))
    Kind = D.asInt(*V);
  else if (D[Handle].Kind == ValueKind::Init)
    if (const LocNode L = D.at(D[Handle].A);
        L.Kind == LocKind::Field || L.Kind == LocKind::Global)
      if (const WriteSummary *Writes = Rel.writes(D.text(L.S)))
        Kind = Writes->Generator;
  if (!W.Catalogue.isValue(Role::HostRepeats, Kind))
    return;
  Fact R = Facts.at(C.F, C.O, S, S.Active.back());
  R.become<FactKind::Repeats>().Type = *Kind;
  R.Callee = C.Api.Name;
  R.restOn(Evidence::RepeatedNumbers);
  Facts.record(std::move(R));
}

} // namespace cudagraph
