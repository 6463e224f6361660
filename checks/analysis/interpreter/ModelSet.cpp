//===- ModelSet.cpp - The set of models, and their order ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ModelSet.h.
//
//===----------------------------------------------------------------------===//

#include "ModelSet.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;
using catalogue::Role;
using catalogue::Trait;

/// The index of the stream among the arguments of \p O. Overloads have it at a
/// different index, and old versions of a library have different arguments
/// after it. If the argument at the expected index is not a stream, the only
/// argument that is a stream is used.
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

ModelSet::ModelSet(Walk &W, Invoker &Calls)
    : Part(W), Use(W, Calls, *this), Captures(Use), Streams(Use), Accesses(Use),
      Threads(Use), Libraries(Use), Host(Use, Nodes), Branches(Use, Nodes),
      HostNodes(Use), Retained(Use, Nodes), Lifetimes(Use, Nodes),
      Graphs(Use, Nodes), Replays(Use, Nodes), Steps(Use, Nodes),
      Changes(Use, Nodes), Tensors(Use), Outcomes(Use) {}

void ModelSet::captureBegan(Frame &F, const Op &O, State &S) {
  Threads.captureBegan(F, O, S);
  Steps.captureBegan(F, O, S);
  Changes.captureBegan(F, O, S);
}

void ModelSet::captureEnds(Frame &F, const Op &O, State &S, CaptureId C,
                           const catalogue::Entry *E) {
  Streams.captureEnds(F, O, S, C, E);
}

void ModelSet::captureLeft(State &S, CaptureId C) {
  Streams.captureLeft(S, C);
  Accesses.captureLeft(S, C);
}

void ModelSet::captureEnded(State &S, CaptureId C) {
  Graphs.captureEnded(S, C);
  Steps.captureEnded(S, C);
  Changes.captureEnded(S, C);
}

/// True for calls whose outcome depends on the state before them.
static bool isJudgedFirst(Effect E) {
  return E == Effect::CaptureBegin || E == Effect::CaptureEnd ||
         E == Effect::EventRecord || E == Effect::StreamWaitEvent ||
         E == Effect::StreamDestroy || E == Effect::HostThread;
}

States ModelSet::apply(Call C, State S) {
  if (S.PerhapsLater || !Threads.mayBeOrdered(C, S))
    return applyNow(std::move(C), std::move(S));
  S.PerhapsLater = true;
  States After = applyNow(std::move(C), std::move(S));
  for (State &Each : After)
    Each.PerhapsLater = false;
  return After;
}

States ModelSet::applyNow(Call C, State S) {
  if (S.InCallback)
    return inCallback(C, std::move(S));
  bool OnHost = false;
  if (!prepare(C, S, OnHost)) {
    setResult(D, C.F, C.O, S, C.Returned);
    if (OnHost)
      return Use.Calls.invokeCallables(C.F, C.O, std::move(S), C.Args);
    return {std::move(S)};
  }
  // A container takes a thread that is moved into it.
  if (C.Api.has(Trait::Host) && C.Api.Does != Effect::HostThread)
    Threads.move(S, C.Args, None);
  forgetWritten(C, S);
  if (C.Api.has(Trait::Awaits))
    Threads.awaited(C, S);
  if (C.Callee != None && Rel.rolesOf(C.Callee).has(Role::Signals))
    Threads.signaled(C, S);
  if (C.Api.has(Trait::Awaits) && C.This != None &&
      D[C.This].Kind == ValueKind::Addr)
    Threads.finish(S, D[C.This].A);
  if (C.Api.Does == Effect::Invoke)
    return invoke(C, std::move(S));
  Model &Subject = modelOf(C.Api.Does);
  if (isJudgedFirst(C.Api.Does)) {
    setResult(D, C.F, C.O, S, C.Returned);
    if (!Captures.isSilent(C, S) &&
        !(C.Api.Does == Effect::HostThread &&
          (Threads.isEnding(C, S) || Threads.awaitsBegin(C, S) ||
           Threads.isLoading(C, S))))
      report(C, S);
    if (C.Api.Does == Effect::HostThread && Threads.isJoinedNext(C))
      return Threads.runToEnd(C, std::move(S));
    Subject.apply(C, S);
    Accesses.after(C, S);
    Replays.after(C, S);
    if (C.Api.Does == Effect::CaptureBegin)
      Lifetimes.forgetTurn(C.F, S);
    if (C.Api.Does == Effect::CaptureEnd)
      Lifetimes.endTemporaries(C.F, S);
    return {std::move(S)};
  }
  ChangeModel::Outputs Before = Changes.outputsOf(C, S);
  Model::Then Next = Subject.apply(C, S);
  Changes.writtenBy(C, S, Before);
  switch (Next) {
  case Model::Then::Throw:
    return {};
  case Model::Then::Stop:
    return {std::move(S)};
  case Model::Then::Follow:
    break;
  }
  setResult(D, C.F, C.O, S, C.Returned);
  follow(C, S);
  return {std::move(S)};
}

/// Handles a call that a host node makes when the graph runs.
States ModelSet::inCallback(Call &C, State S) {
  if (ValueId P = C.arg("ptr"); P != None)
    Lifetimes.freed(C.F, C.O, S, P);
  if (!C.Api.has(Trait::Host) && C.Api.Does != Effect::Neutral)
    HostNodes.noteCall(C.F, C.O, S, C.Api.Name);
  setResult(D, C.F, C.O, S, D.opaque(C.Site));
  return {std::move(S)};
}

/// Finds the stream of \p C and its result. \returns false if the call has no
/// effect; \p OnHost: except that it calls its arguments.
bool ModelSet::prepare(Call &C, State &S, bool &OnHost) {
  const catalogue::Entry &E = C.Api;
  const Op &O = C.O;
  C.PerThread = Table.info(C.F.Function).PerThread ||
                catalogue::hasPerThreadSuffix(C.Info->Name);
  ValueId Opaque = D.opaque(Domain::site(C.F.Function, O.ResultIndex, 2));
  C.Returned = Opaque;
  std::optional<int> At = streamAt(E, O, C.Args.size());
  if (At && *At < 0) {
    C.Stream = heldBy(D, S, C.This);
    C.StreamText = O.ObjectRange;
  } else if (At && static_cast<size_t>(*At) < C.Args.size()) {
    // A stream object passed by reference stands for its contents.
    C.Stream = heldBy(D, S, C.Args[*At]);
    if (static_cast<size_t>(*At) < O.Args.size())
      C.StreamText = O.Args[*At].Range;
  }
  C.Stream = Use.Streams.passed(S, C.Stream);
  C.HasStream = C.Stream != None;
  bool IsAlgorithm = E.has(Trait::Policy) && E.Does == Effect::LibraryCall;
  // A container that is constructed empty, or by a move, allocates nothing.
  bool Moves = O.Args.size() == 1 && C.Info->LastParam == C.Info->Class &&
               llvm::StringRef(C.Info->Signature).ends_with("&&)");
  if (C.Info->IsConstructor && (O.Args.empty() || Moves) &&
      (E.Does == Effect::AllocDevice || E.Does == Effect::AllocPinned ||
       IsAlgorithm))
    return false;
  if (IsAlgorithm && !resolvePolicy(C)) {
    OnHost = true;
    return false;
  }
  if (ValueId Config = C.arg("config"); Config != None && !C.HasStream)
    resolveConfig(C, S, Config);
  C.Returned = returned(C, S, Opaque);
  return true;
}

/// Finds the stream of an algorithm. An execution policy stands for its stream;
/// without one, device iterators imply the default stream. \returns false for
/// an algorithm on the host.
bool ModelSet::resolvePolicy(Call &C) {
  const Op &O = C.O;
  uint8_t First = O.Args.empty() ? 0 : O.Args[0].Thrust;
  bool OnDevice = First & CallArg::Policy || C.This != None ||
                  llvm::any_of(O.Args, [](const CallArg &A) {
                    return A.Thrust & CallArg::OnDevice;
                  });
  if (!OnDevice)
    return false;
  bool Named = First & CallArg::Policy && C.HasStream &&
               D[C.Stream].Kind != ValueKind::CopyOf &&
               !(D[C.Stream].Kind == ValueKind::Init &&
                 D.at(D[C.Stream].A).Kind == LocKind::Global);
  if (!Named) {
    C.Stream = D.integer(0);
    C.StreamText = {};
  }
  C.HasStream = true;
  return true;
}

/// Resolves a launch with a configuration structure, which contains the stream.
void ModelSet::resolveConfig(Call &C, State &S, ValueId Config) {
  for (const catalogue::NamedRole *Each :
       W.Catalogue.names(Role::ConfigStream)) {
    llvm::StringRef Member = Each->Name;
    LocId L = D.loc(LocKind::Field, 0, D.pointee(Config), None, Member);
    ValueId V = read(D, S, L);
    // The member was written neither here nor in the structure from which this
    // one was copied.
    if (D[V].Kind == ValueKind::Init && D.text(D.at(D[V].A).S) == Member)
      continue;
    C.Stream = V;
    C.HasStream = true;
    break;
  }
}

/// The result of \p C, according to its entry.
ValueId ModelSet::returned(const Call &C, const State &S, ValueId Opaque) {
  const catalogue::Entry &E = C.Api;
  if (E.Returns == "status" && E.Does != Effect::QueryStream &&
      E.Does != Effect::QueryEvent)
    return D.value(ValueKind::Status, C.Site);
  if (E.Returns == "device-value")
    return D.value(ValueKind::DeviceRead, C.Site, C.O.Range.Begin);
  if (E.Returns == "varying")
    return D.value(ValueKind::Varying, C.Site, C.O.Range.Begin,
                   static_cast<unsigned>(E.Does));
  if (E.Does == Effect::Neutral && E.Returns.empty())
    if (ValueId V = libraryResult(D, S, C.Callee, C.Args); V != None)
      return V;
  return Opaque;
}

/// Forgets numbers whose addresses were passed to CUDA: they may have changed.
void ModelSet::forgetWritten(const Call &C, State &S) {
  if (C.Api.has(Trait::Host) || C.Api.Does == Effect::ModeExchange)
    return;
  for (unsigned I = 0; I < C.Args.size() && I < C.O.Args.size(); ++I) {
    const ValueNode N = D[C.Args[I]];
    std::optional<unsigned> Old =
        C.O.Args[I].Written && N.Kind == ValueKind::Addr ? S.Mem.lookup(N.A)
                                                         : std::nullopt;
    if (Old && D.asInt(*Old))
      S.Mem.set(N.A, D.opaque(Domain::site(C.Callee, N.A, 12)));
  }
}

/// Handles a function that calls its arguments, either each time it is called
/// or only the first time.
States ModelSet::invoke(Call &C, State S) {
  setResult(D, C.F, C.O, S, C.Returned);
  if (!C.Api.has(Trait::Once) || C.Args.empty())
    return Use.Calls.invokeCallables(C.F, C.O, std::move(S), C.Args);
  LocId Called = D.slotOf(Slot::CalledOnce, D.pointee(C.Args[0]));
  if (S.Mem.contains(Called))
    return {std::move(S)};
  States After = Use.Calls.invokeCallables(C.F, C.O, std::move(S), C.Args);
  for (State &Each : After)
    assign(D, Each, Called, D.integer(1));
  return After;
}

/// Reports the facts about \p C.
void ModelSet::report(Call &C, State &S) {
  Outcomes.after(C, S);
  Host.after(C, S);
}

/// Takes the steps after any call, in this order: facts come before changes to
/// the state on which they depend.
void ModelSet::follow(Call &C, State &S) {
  Effect Does = C.Api.Does;
  if (C.HasStream && (becomesNode(Does) || Does == Effect::GraphLaunch ||
                      Does == Effect::StreamCallback)) {
    Happening H;
    if (C.isKernel())
      H.Callee = C.Callee;
    else
      H.Label = C.Api.Name;
    H.Where = C.O.Range;
    H.StreamText = C.StreamText;
    happen(Use, C.F, S, std::move(H), C.Stream, C.PerThread);
  }
  report(C, S);
  Retained.after(C, S);
  HostNodes.after(C, S);
  Lifetimes.after(C, S);
  Steps.after(C, S);
  Changes.after(C, S);
  Streams.after(C, S);
  Accesses.after(C, S);
  Replays.after(C, S);
  Libraries.after(C, S);
}

States ModelSet::applyOperator(Call C, State S,
                               llvm::ArrayRef<ValueId> Braces) {
  Retained.retainTensors(C.F, C.O, S, C.Callee, C.This, C.Args);
  llvm::SmallVector<ValueId, 8> All;
  if (C.This != None)
    All.push_back(C.This);
  All.append(C.Args.begin(), C.Args.end());
  TensorModel::Effects Does = Tensors.applyOperator(C, S, All);
  if (Does.Works) {
    Happening H;
    H.Label = C.Api.Name;
    H.Where = C.O.Range;
    happen(Use, C.F, S, std::move(H), read(D, S, D.slot(Slot::CurrentStream)),
           /*PerThread=*/false);
  }
  // From now on, the object is the first argument, as in `at::NAME(self, ...)`.
  Call Flat(C.F, C.O, C.Api, C.Callee, C.Info);
  Flat.Args = All;
  if (Does.Reports) {
    Flat.Operands = Does.Operands;
    Flat.Shift = C.This != None;
    Flat.Braces = Braces;
    report(Flat, S);
  }
  // A factory whose arguments request pinned memory gets it from the host
  // allocator.
  if (Tensors.pins(C, S))
    for (const catalogue::NamedRole *Each :
         W.Catalogue.names(Role::TensorPinnedAllocator))
      if (const catalogue::Entry *Allocator = W.Catalogue.lookup(Each->Name)) {
        Call Pinning(C.F, C.O, *Allocator, C.Callee, C.Info);
        Pinning.Args = All;
        report(Pinning, S);
      }
  Tensors.noteResult(C.F, C.O, S, C.Callee, C.This, C.Args);
  if (C.Api.Returns == "device-value")
    setResult(D, C.F, C.O, S, C.Returned);
  return {std::move(S)};
}

void ModelSet::launch(Frame &F, const Op &O, State &S, ValueId Kernel,
                      llvm::ArrayRef<ValueId> Config,
                      llvm::ArrayRef<ValueId> Args) {
  setResult(D, F, O, S, D.opaque(Domain::site(F.Function, O.ResultIndex, 2)));
  if (S.InCallback)
    return HostNodes.noteCall(F, O, S, "<<<>>>");
  if (S.Active.empty())
    return;
  static const char *const Parts[] = {"grid", "block", "shared memory"};
  for (unsigned I = O.AnyGrid ? 1 : 0; I < 3 && I < Config.size(); ++I)
    Use.Varies.report(F, O, S, heldBy(D, S, Config[I]), Parts[I], nullptr);
  if (O.CalleeValue != None)
    Retained.retainChoice(F, O, S, Kernel, "kernel");
  const catalogue::Entry *E = W.Catalogue.lookup("<<<>>>");
  if (!E)
    return;
  Call C(F, O, *E, O.Callee,
         O.Callee == None ? nullptr : &Table.info(O.Callee));
  if (O.Callee == None && D[Kernel].Kind == ValueKind::Function)
    C.Chosen = &Table.info(D[Kernel].N);
  C.Args = Args;
  C.Config = Config;
  C.Stream = Use.Streams.passed(
      S, heldBy(D, S, Config.size() > 3 ? Config[3] : D.integer(0)));
  C.HasStream = true;
  C.StreamText = O.Config.size() > 3 ? O.Config[3].Range : Span{};
  C.PerThread = Table.info(F.Function).PerThread;
  follow(C, S);
}

} // namespace cudagraph
