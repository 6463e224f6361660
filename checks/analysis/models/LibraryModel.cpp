//===- LibraryModel.cpp - Library handles ---------------------------------===//
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
#include "Inputs.h"
#include "SeedOrigins.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;
using catalogue::Role;
using catalogue::Trait;

Model::Then LibraryModel::apply(Call &C, State &S) {
  ValueId Handle = C.arg("handle");
  switch (C.Api.Does) {
  case Effect::LibraryHandle:
    if (ValueId Out = C.arg("out"); Out != None)
      make(S, Out, C);
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
      setStream(S, held(S, Handle), C);
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
      // A query on a handle returns its stream.
      ValueId Of = C.Api.Does == Effect::Neutral ? Handle : None;
      std::optional<unsigned> Known =
          Of == None ? std::nullopt
                     : S.Mem.lookup(in(Slot::LibraryStream, held(S, Of)));
      // The device address of host memory refers to the same memory.
      ValueId Same = C.Api.Does == Effect::Neutral ? C.arg("ptr") : None;
      store(S, Out, Known ? *Known : Same != None ? Same : D.opaque(C.Site));
    }
    break;
  }
  return Then::Follow;
}

/// The slot \p Which of the target of \p Handle.
LocId LibraryModel::in(Slot Which, ValueId Handle) {
  return D.slotOf(Which, D.pointee(Handle));
}

/// True if several places other than \p Except contain \p Handle: it stands for
/// several that the same call has created.
bool LibraryModel::isShared(const State &S, ValueId Handle,
                            LocId Except) const {
  unsigned Holders = 0;
  for (const Memory::Item &I : S.Mem) {
    if (I.Data != Handle || I.Key == Except)
      continue;
    LocKind K = D.at(I.Key).Kind;
    if (K == LocKind::Field || K == LocKind::Global || K == LocKind::Elem)
      Holders += isOfSomeElement(D, I.Key) ? 2 : 1;
  }
  return Holders > (Except == None ? 1 : 0);
}

/// Creates a handle, which works on the legacy default stream until its stream
/// is set.
void LibraryModel::make(State &S, ValueId Out, const Call &C) {
  ValueId New = D.value(ValueKind::Handle, C.Site);
  LocId Place = D[Out].Kind == ValueKind::Addr ? D[Out].A : None;
  std::optional<unsigned> Old = S.Mem.lookup(in(Slot::LibraryStream, New));
  bool Blurs = Old && D.asInt(*Old) != 0 && isShared(S, New, Place);
  store(S, Out, New);
  assign(D, S, in(Slot::LibraryStream, New),
         Blurs ? D.opaque(C.Site) : D.integer(0));
  assign(D, S, in(Slot::PointerMode, New), D.integer(0));
  assign(D, S, in(Slot::LibraryUsed, New), D.integer(0));
  if (ValueId Kind = C.arg("kind"); Kind != None)
    assign(D, S, in(Slot::GeneratorKind, New), Kind);
}

/// Handles a call that sets the stream of \p Handle. If it may be one of
/// several, each of them is on that stream, or on its earlier one.
void LibraryModel::setStream(State &S, ValueId Handle, const Call &C) {
  const ValueNode N = D[Handle];
  if (N.Kind == ValueKind::Phi && isHandle(D, Handle)) {
    for (ValueId Each : llvm::SmallVector<ValueId, 8>(D.candidates(Handle)))
      setStream(S, Each, C);
    return;
  }
  LocId At = in(Slot::LibraryStream, Handle);
  std::optional<unsigned> Old = S.Mem.lookup(At);
  bool Differs = Old && D.asInt(*Old) != 0 && *Old != C.Stream;
  bool Blurs =
      Differs && N.Kind == ValueKind::Handle && isShared(S, Handle, None);
  assign(D, S, At, Blurs ? D.opaque(C.Site) : C.Stream);
  bool Lost = N.Kind == ValueKind::Init ? isOfSomeElement(D, N.A)
                                        : N.Kind != ValueKind::Handle;
  if (!Lost)
    return;
  // Any handle that a member or element contains may be this one.
  llvm::SmallVector<LocId, 4> Others;
  for (const Memory::Item &I : S.Mem) {
    LocKind K = D.at(I.Key).Kind;
    bool Holds =
        D[I.Data].Kind == ValueKind::Handle &&
        (K == LocKind::Elem || K == LocKind::Field || K == LocKind::Global) &&
        (N.Kind != ValueKind::Init || D.root(N.A) == D.root(I.Key));
    if (Holds)
      Others.push_back(in(Slot::LibraryStream, I.Data));
  }
  for (LocId Each : Others)
    if (std::optional<unsigned> Now = S.Mem.lookup(Each);
        Now && *Now != C.Stream)
      assign(D, S, Each, D.opaque(C.Site));
}

/// The stream that the handle in a member always uses: the stream in another
/// member of the same object. None if that is unknown.
ValueId LibraryModel::givenStream(const State &S, ValueId Handle) {
  const ValueNode N = D[Handle];
  if (N.Kind != ValueKind::Init || D.at(N.A).Kind != LocKind::Field)
    return None;
  const LocNode Member = D.at(N.A);
  const std::string *StreamMember = Rel.streamOfHandle(D.text(Member.S));
  if (!StreamMember)
    return None;
  LocId L = D.loc(LocKind::Field, 0, Member.A, None, *StreamMember);
  ValueId Stream = read(D, S, L);
  bool Captures = llvm::any_of(S.Active, [&](CaptureId C) {
    return Result.Captures[C].Origin == Stream;
  });
  return Captures || Streams.isOwnStream(L) ? Stream : None;
}

/// The stream to which \p Handle, or the handles that it may be, was set; None
/// if that is unknown.
ValueId LibraryModel::streamOf(const State &S, ValueId Handle) {
  llvm::SmallVector<ValueId, 8> All{Handle};
  if (D[Handle].Kind == ValueKind::Phi && isHandle(D, Handle))
    All.assign(D.candidates(Handle).begin(), D.candidates(Handle).end());
  ValueId Stream = None;
  for (ValueId Each : All) {
    std::optional<unsigned> V = S.Mem.lookup(in(Slot::LibraryStream, Each));
    if (!V)
      return None;
    if (Stream == None || Stream == *V) {
      Stream = *V;
      continue;
    }
    ValueId Phi = D.value(ValueKind::Phi, SeveralElements,
                          in(Slot::LibraryStream, Handle));
    D.addCandidate(Phi, Stream);
    D.addCandidate(Phi, *V);
    Stream = Phi;
  }
  return Stream;
}

/// Handles a call that works on the stream of its handle.
Model::Then LibraryModel::call(Call &C, State &S) {
  noteRepeats(C, S);
  ValueId Given = C.arg("handle");
  if (Given == None || C.HasStream)
    return Then::Follow;
  ValueId Handle = held(S, Given);
  const ValueNode N = D[Handle];
  if (ValueId V = streamOf(S, Handle); V != None) {
    C.Stream = V;
    C.HasStream = true;
  } else if (C.Api.has(Trait::Draws) && !S.Active.empty() &&
             !S.Mem.contains(in(Slot::LibraryUsed, Handle)) &&
             N.Kind == ValueKind::Init && livesWithGraph(D, N.A) &&
             !W.mayRunBefore(C.F.Function, S.Active.back())) {
    // The first draw from a generator that was created elsewhere: it breaks the
    // capture, on any stream.
    C.Stream = Result.Captures[S.Active.back()].Origin;
    C.HasStream = true;
    assign(D, S, in(Slot::LibraryUsed, Handle), D.integer(0));
  } else if (N.Kind == ValueKind::Init &&
             (D.at(N.A).Kind == LocKind::Field ||
              D.at(N.A).Kind == LocKind::Global) &&
             Rel.usesDefaultStream(D.text(D.at(N.A).S))) {
    C.Stream = D.integer(0); // the stream of a handle whose stream is never set
    C.HasStream = true;
  } else if (ValueId Given = givenStream(S, Handle); Given != None) {
    C.Stream = Given;
    C.HasStream = true;
  } else {
    // The stream of the handle is unknown.
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

/// Reports a backward function that draws again: in a graph, it receives
/// numbers different from those of the forward function, although it must
/// repeat them. A parameter may contain those of the forward function.
void LibraryModel::noteRederived(const Call &C, const State &S) {
  if (S.Active.empty() || S.OtherThread || S.Failing ||
      !Rel.rolesOf(C.Callee).has(Role::AdvancesGenerator))
    return;
  const Frame &Root = C.F.root();
  llvm::StringRef Name = Table.info(Root.Function).Name;
  Name = Name.substr(Name.rfind(':') + 1);
  if (!W.Catalogue.is(Role::BackwardName, Name.str()) ||
      !isAssumed(Result.Captures[S.Active.back()].Root))
    return;
  for (unsigned I = 0; I < Root.Graph->NumParams; ++I)
    if (const LocalVar &Var = Root.Graph->Vars[I];
        !Var.IsNumber && W.Catalogue.is(Role::SeedMemory, Var.Name))
      return;
  Fact R = Facts.at(C.F, C.O, S, S.Active.back());
  R.become<FactKind::Rederives>();
  R.Callee = C.Api.Name;
  R.restOn(Evidence::DrawnAgain);
  Facts.record(std::move(R));
}

/// True if an argument of \p C is the contents of a member or global that a
/// function uses which updates nodes of an executable graph.
bool LibraryModel::isUpdated(const Call &C, State &S) {
  return llvm::any_of(C.O.Args, [&](const CallArg &A) {
    Inputs::Places From = Inputs(W, Use.Calls).of(C.F, A.Value, S);
    return llvm::any_of(From, [&](const Inputs::Input &I) {
      const LocNode L = D.at(I.Place);
      const WriteSummary *Writes =
          L.Kind == LocKind::Field || L.Kind == LocKind::Global
              ? Rel.writes(D.text(L.S))
              : nullptr;
      return Writes && Writes->Updated;
    });
  });
}

void LibraryModel::after(Call &C, State &S) {
  if (C.Callee != None)
    noteRederived(C, S);
  // Seeding in a kernel restarts the same sequence of numbers on each replay.
  const FunctionInfo *Kernel = !C.isKernel() ? nullptr
                               : C.Info      ? C.Info
                                             : C.Chosen;
  if (std::optional<unsigned> I =
          C.Api.Does == Effect::Launch ? C.indexOf("func") : std::nullopt;
      I && !Kernel && D[C.Args[*I]].Kind == ValueKind::Function)
    Kernel = &Table.info(D[C.Args[*I]].N);
  if (Kernel && Kernel->SeedsGenerator && !S.Active.empty() && !S.OtherThread &&
      Streams.memberOf(S, C.Stream, C.PerThread) && !isUpdated(C, S)) {
    Fact R = Facts.at(C.F, C.O, S, S.Active.back());
    R.become<FactKind::Seeds>();
    R.Callee = Kernel->Name;
    noteSeedOrigin(W, C.F, R);
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

/// Reports a generator that keeps its state on the host: it draws the same
/// numbers on each replay.
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
