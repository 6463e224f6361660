//===- EngineCall.cpp - Finding callees -----------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which functions a call may reach: the declared one, overriders, what a
// function pointer or a std::function holds. A callee that cannot be seen
// changes what its arguments point to, and may have joined the streams it was
// given. EngineEnter.cpp walks those that can.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

namespace cudagraph {

using catalogue::Effect;

void Engine::setResult(const Frame &F, const Op &O, State &S, ValueId V) {
  if (O.ResultIndex != None)
    S.Mem.set(D.loc(LocKind::Result, O.ResultIndex, F.Function), V);
}

/// What a library function returns, as far as it depends on its arguments.
ValueId Engine::libraryResult(const State &S, llvm::ArrayRef<ValueId> Args) {
  ValueId Parts = None;
  for (ValueId A : Args) {
    ValueId V = D[A].Kind == ValueKind::Addr ? read(S, D[A].A) : A;
    if (D[V].Kind == ValueKind::CopyOf || D[V].Kind == ValueKind::Closure)
      continue;
    Parts = Parts == None ? V : D.apply("aggregate", Parts, V);
  }
  return Parts == None ? None
                       : D.value(ValueKind::Op, 0, Parts, None, "library");
}

void Engine::callOpaque(Frame &F, const Op &O, State &S, FunctionId Callee,
                        llvm::ArrayRef<ValueId> Args) {
  const FunctionInfo *Info = Callee == None ? nullptr : &Table.info(Callee);
  bool Known = Info && (Info->IsSystem || Info->IsDevice);
  setResult(F, O, S, D.opaque(Domain::site(F.Function, O.ResultIndex, 2)));
  if (Known && Info) {
    // Library code that is not catalogued: remember what it was computed
    // from, so that std::min(n, 256) still depends on n.
    if (ValueId V = libraryResult(S, Args); V != None) {
      setResult(F, O, S, V);
      if (!S.Active.empty())
        Inside.insert(V);
    }
  }
  // A guard whose body is elsewhere is recognised by its name and trusted.
  if (Info && !Info->IsSystem && !Info->HasBody && !S.Active.empty() &&
      Info->ReturnsFlag &&
      Catalogue.is(catalogue::Role::CaptureGuard, Info->Name))
    setResult(F, O, S, D.integer(1));
  for (unsigned I = 0; I < Args.size(); ++I) {
    const ValueNode N = D[Args[I]];
    auto Suspect = [&](ValueId V) {
      ValueKind K = D[V].Kind;
      if (K == ValueKind::Event) // it may be recorded anywhere
        S.Events.erase(V);
      bool Typed = I < O.Args.size() && O.Args[I].IsStream;
      if ((K == ValueKind::Stream || (K == ValueKind::Init && Typed)) &&
          !S.Streams.contains(V) && !S.Active.empty())
        S.Streams.set(V, Member{S.Active.back(), true, true}.encode());
    };
    if (!Known)
      Suspect(Args[I]);
    if (N.Kind != ValueKind::Addr)
      continue;
    // What the address points to may have been written.
    LocId Root = D.root(N.A);
    Memory Old = S.Mem;
    for (auto It = Old.begin(); It != Old.end(); ++It) {
      if (D.root(It->getKey()) != Root)
        continue;
      bool Whole = It->getKey() == N.A;
      bool Null = D.asInt(It->getData()) == 0;
      if (!Known)
        Suspect(It->getData());
      ValueKind K = D[It->getData()].Kind;
      bool Scalar = K != ValueKind::Closure && K != ValueKind::CopyOf &&
                    K != ValueKind::Function;
      if ((Whole && Scalar && !Known) || (Null && !Known) ||
          (Whole && Known && Null))
        S.Mem.set(It->getKey(), D.opaque(Domain::site(
                                    F.Function, O.ResultIndex * 16 + I, 11)));
    }
  }
  if (!Known)
    blurLags(S, None);
  // What reports an error is not what replays repeat.
  if (S.Active.empty() || S.Failing ||
      (Info && (Info->IsSystem || Info->Unsafe)) ||
      (Info && (Info->IsDevice || Info->NoReturn)))
    return;
  if (Info && Info->HasBody && Table.graph(Callee))
    return;
  for (unsigned I = 0; I < Args.size() && I < O.Args.size(); ++I)
    if (O.Args[I].IsStream) {
      Happening H;
      H.Kind = TimelineKind::Opaque;
      H.Callee = Callee;
      H.Where = O.Range;
      H.StreamText = O.Args[I].Range;
      happen(F, S, std::move(H), Args[I], Table.info(F.Function).PerThread);
    }
  Fact R = factAt(F, O, S, S.Active.back());
  R.Kind = FactKind::Opaque;
  R.Callee = Info ? Info->Name : "a function pointer";
  record(std::move(R));
}

/// Calls every callable among \p Args, as an algorithm does before it returns.
Engine::States Engine::invokeCallables(Frame &F, const Op &O, State S,
                                       llvm::ArrayRef<ValueId> Args) {
  States Now{std::move(S)};
  for (ValueId A : Args) {
    States Next;
    for (State &Each : Now) {
      ValueId V = D[A].Kind == ValueKind::Addr ? read(Each, D[A].A) : A;
      ValueKind K = D[V].Kind;
      if (K != ValueKind::Closure && K != ValueKind::Function) {
        Next.push_back(std::move(Each));
        continue;
      }
      for (State &After : callValue(F, O, std::move(Each), V, {}, None, None))
        Next.push_back(std::move(After));
    }
    Now = std::move(Next);
  }
  return Now;
}

Engine::States Engine::callValue(Frame &F, const Op &O, State S,
                                 ValueId Callable, llvm::ArrayRef<ValueId> Args,
                                 FunctionId Fallback, ValueId FallbackThis) {
  llvm::SmallVector<ValueId, 4> Targets;
  if (D[Callable].Kind == ValueKind::Phi)
    Targets.append(D.candidates(Callable).begin(),
                   D.candidates(Callable).end());
  else
    Targets.push_back(Callable);
  States All;
  bool Resolved = false, Stored = false;
  // A member that holds a callable: whatever is ever stored there may be it.
  if (Targets.size() == 1 && D[Callable].Kind == ValueKind::Init &&
      Fallback == None) {
    LocId Holder = D[Callable].A;
    while (D.at(Holder).Kind == LocKind::Elem) // any of a table
      Holder = D.at(Holder).A;
    const LocNode L = D.at(Holder);
    if (L.Kind == LocKind::Field || L.Kind == LocKind::Global)
      if (const WriteSummary *W = Rel.writes(D.text(L.S));
          W && !W->Callables.empty()) {
        Targets.clear();
        for (FunctionId C : W->Callables)
          Targets.push_back(Table.info(C).IsLambda
                                ? D.value(ValueKind::Closure, C,
                                          D.loc(LocKind::Temp, 0, C, None))
                                : D.value(ValueKind::Function, C));
        Stored = true;
      }
  }
  for (ValueId T : Targets) {
    const ValueNode N = D[T];
    FunctionId Callee = None;
    ValueId This = None;
    if (N.Kind == ValueKind::Closure) {
      Callee = N.N == static_cast<int64_t>(None) ? Fallback
                                                 : static_cast<FunctionId>(N.N);
      This = D.value(ValueKind::Addr, 0, N.A);
    } else if (N.Kind == ValueKind::Function) {
      Callee = static_cast<FunctionId>(N.N);
      if (!Table.info(Callee).Class.empty())
        This = FallbackThis; // called through a pointer to member
    } else if (Fallback != None) {
      Callee = Fallback;
      This = FallbackThis;
    }
    if (Callee == None)
      continue;
    Resolved = true;
    for (State &After :
         dispatch(F, O, S, Callee, This, Args, Stored || Targets.size() > 1))
      All.push_back(std::move(After));
  }
  if (Resolved)
    return All;
  callOpaque(F, O, S, None, Args);
  return {std::move(S)};
}

/// \p Callee is not walked: it may pass source that does not parse.
void Engine::passUnparsed(State &S, FunctionId Callee) const {
  if (!(Rel.bits(Callee) & Relevance::Unparsed))
    return;
  S.Unparsed = S.Active.empty()
                   ? std::max<uint8_t>(S.Unparsed, State::UnparsedBefore)
                   : State::UnparsedWithin;
}

/// A call whose callee is not walked once more: it may wait for streams and
/// record events.
void Engine::skip(const Frame &F, const Op &O, State &S, FunctionId Callee,
                  llvm::ArrayRef<ValueId> Args) {
  passUnparsed(S, Callee);
  blurLags(S, None);
  for (ValueId A : Args)
    if (D[A].Kind == ValueKind::Event)
      S.Events.erase(A);
  setResult(F, O, S, D.opaque(Domain::site(F.Function, O.ResultIndex, 2)));
}

/// Calls \p Callee: by its catalogue entry, by its body, or as unknown.
Engine::States Engine::dispatch(Frame &F, const Op &O, State S,
                                FunctionId Callee, ValueId This,
                                llvm::ArrayRef<ValueId> Args, bool Uncertain) {
  const FunctionInfo &Info = Table.info(Callee);
  if (!S.Active.empty())
    InRegion.insert(Callee);
  if (S.Active.empty()) {
    Eager.insert(Callee);
    // Lookups, and predicates, decide which graph is captured or launched.
    bool Asks =
        Info.IsSystem
            ? O.Object != None
            : Info.ReturnsFlag &&
                  !(Rel.bits(Callee) & (Relevance::Works | Relevance::Opens));
    for (ValueId A : Args)
      if (Asks)
        noteKeys(S, D.apply("library", A, None));
  }
  if (Info.RegionScope && (Info.IsConstructor || Info.IsDestructor))
    return regionScope(F, O, std::move(S), Info, Args);
  if (const catalogue::Entry *E = Rel.entryFor(Callee)) {
    if (Rel.rolesOf(*E).has(catalogue::Role::TensorOperator))
      return applyOperator(F, O, std::move(S), *E, Callee, This, Args);
    if (E->Does == Effect::LibraryCall && Info.HeaderVersion &&
        Info.HeaderVersion < static_cast<unsigned>(E->Since) &&
        !S.Active.empty() && !S.OtherThread && !S.InCallback) {
      Fact R = factAt(F, O, S, S.Active.back());
      R.Kind = FactKind::OldLibrary;
      R.Api = E;
      R.Callee = E->Name;
      R.What = E->SinceText;
      record(std::move(R));
    }
    States After = applyApi(F, O, std::move(S), *E, Callee, This, Args);
    if (E->has(catalogue::Trait::Tensors))
      for (State &Each : After)
        noteTensor(F, O, Each, Callee, This, Args);
    return After;
  }
  if (!S.Active.empty() && Info.Unsafe) {
    Fact R = factAt(F, O, S, S.Active.back());
    R.Kind = FactKind::UnsafeCall;
    R.Callee = Info.Name;
    R.What = Info.UnsafeReason;
    record(std::move(R));
  }
  if (Info.CaptureSafe) {
    setResult(F, O, S, D.opaque(Domain::site(F.Function, O.ResultIndex, 2)));
    return {std::move(S)};
  }
  if (Info.IsDestructor && restoreGuard(S, Info, This))
    return {std::move(S)};
  if (Table.graph(Callee)) {
    uint16_t Bits = Rel.bits(Callee);
    if (Info.NoReturn && !(Bits & Relevance::Opens))
      return {std::move(S)}; // nothing comes after it
    // A constant expression can make no call that matters.
    bool Enter = (Info.ReturnsHandle && !Info.IsConstexpr) ||
                 Info.IsConstructor || Info.IsDestructor;
    if (S.Active.empty())
      Enter |=
          Bits & (Relevance::Opens | Relevance::Defines | Relevance::Unknown);
    else
      Enter |= Bits != 0;
    // Predicates are worth entering too: they may be guards.
    Enter |= Bits & Relevance::Effects;
    // So are accessors: what they return may be a size or a flag.
    Enter |= Table.graph(Callee)->Blocks.size() <= 4;
    // Whole programs run before a capture begins, too: what they leave behind
    // is given up. In a large one, so is what happens behind a failure.
    bool Given = S.Active.empty() ? Rel.reachesMany(Callee)
                                  : S.Failing && Steps > ManySteps;
    if (Given && !(Bits & Relevance::Opens)) {
      passUnparsed(S, Callee);
      callOpaque(F, O, S, Callee, Args);
      return {std::move(S)};
    }
    // What it does is seen from a root nearer by.
    if (Limits.Elsewhere && F.Depth >= NearCalls && !S.Active.empty() &&
        Callee < Limits.Elsewhere->size() && Limits.Elsewhere->test(Callee) &&
        !(Bits & Relevance::Opens)) {
      skip(F, O, S, Callee, Args);
      return {std::move(S)};
    }
    // What it does has been seen in as many contexts as count here.
    // Accessors and the like count for what they return.
    bool ForResult = Info.ReturnsHandle || Info.IsConstructor ||
                     Info.IsDestructor ||
                     Table.graph(Callee)->Blocks.size() <= 4;
    if (Steps > ManySteps && !(Bits & Relevance::Opens) && !S.Active.empty() &&
        walksAlike(Callee) >= (ForResult ? 10 * EnoughWalks : EnoughWalks)) {
      skip(F, O, S, Callee, Args);
      return {std::move(S)};
    }
    if (Enter)
      return enter(F, O, std::move(S), Callee, This, Args, Uncertain, nullptr);
    passUnparsed(S, Callee);
    setResult(F, O, S, D.opaque(Domain::site(F.Function, O.ResultIndex, 2)));
    return {std::move(S)};
  }
  if (Info.IsSystem && !S.Threads.empty())
    for (ValueId A : Args)
      moveThread(S, A,
                 Rel.rolesOf(Callee).has(catalogue::Role::MovesThread) ? This
                                                                       : None);
  if (Info.IsSystem) {
    keepTensors(F, O, S, Callee, This, Args);
    States After = invokeCallables(F, O, S, Args);
    for (State &Each : After) {
      callOpaque(F, O, Each, Callee, Args);
      // What a container says of itself, such as its size.
      if (Args.empty() && This != None && D[This].Kind == ValueKind::Addr &&
          O.ResultIndex != None)
        if (LocKind K = D.at(D[This].A).Kind;
            K == LocKind::Field || K == LocKind::Global)
          setResult(F, O, Each,
                    D.value(ValueKind::Op, 0, read(Each, D[This].A), None,
                            "library"));
      noteTensor(F, O, Each, Callee, This, Args);
    }
    return After;
  }
  callOpaque(F, O, S, Callee, Args);
  return {std::move(S)};
}

Engine::States Engine::call(Frame &F, const Op &O, State S) {
  llvm::SmallVector<ValueId, 8> Args, Config;
  for (const CallArg &A : O.Args)
    Args.push_back(eval(F, A.Value, S));
  if (O.How == Dispatch::Kernel) {
    for (const CallArg &A : O.Config)
      Config.push_back(eval(F, A.Value, S));
    launch(F, O, S, Config, Args);
    return {std::move(S)};
  }
  if (O.Value != None && D.asInt(eval(F, O.Value, S)) == 0) {
    setResult(F, O, S, D.integer(0));
    return {std::move(S)}; // there is no object to destroy
  }
  ValueId This = None;
  if (O.Object != None)
    This = D.value(ValueKind::Addr, 0, evalPlace(F, O.Object, S));
  if (O.How == Dispatch::Indirect) {
    ValueId Callable = eval(F, O.CalleeValue, S);
    return callValue(F, O, std::move(S), Callable, Args, O.Callee, This);
  }

  // Which class an object was constructed as decides virtual calls.
  const FunctionInfo &Info = Table.info(O.Callee);
  LocId ClassOf = This == None ? None
                               : D.loc(LocKind::Field, 0, D.pointee(This), None,
                                       "dynamic class");
  if (Info.IsConstructor && ClassOf != None) {
    States After = dispatch(F, O, std::move(S), O.Callee, This, Args, false);
    for (State &Each : After)
      Each.Mem.set(ClassOf, D.value(ValueKind::Function, O.Callee));
    return After;
  }
  if (O.How != Dispatch::Virtual)
    return dispatch(F, O, std::move(S), O.Callee, This, Args, false);

  llvm::SmallVector<FunctionId, 4> Targets{O.Callee};
  for (unsigned I = 0; I < Targets.size(); ++I)
    for (FunctionId Over : Table.info(Targets[I]).Overrides)
      if (!llvm::is_contained(Targets, Over))
        Targets.push_back(Over);
  if (ClassOf != None)
    if (std::optional<unsigned> V = S.Mem.lookup(ClassOf);
        V && D[*V].Kind == ValueKind::Function) {
      const std::string &Class = Table.info(D[*V].N).Class;
      for (FunctionId T : Targets)
        if (Table.info(T).Class == Class)
          return dispatch(F, O, std::move(S), T, This, Args, false);
    }
  llvm::erase_if(Targets, [&](FunctionId T) {
    return T == O.Callee && !Table.info(T).HasBody && Targets.size() > 1;
  });
  States All;
  for (FunctionId T : Targets)
    for (State &After : dispatch(F, O, S, T, This, Args, Targets.size() > 1))
      All.push_back(std::move(After));
  return All;
}

} // namespace cudagraph
