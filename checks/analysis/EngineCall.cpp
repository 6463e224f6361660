//===- EngineCall.cpp - Entering callees ----------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call hands the callee the part of the state that it can observe: what its
// arguments reach, globals, and the objects nobody here created. Two calls that
// agree on that share one walk. A callee that cannot be seen changes what its
// arguments point to, and may have joined the streams it was given.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// Deeper calls are treated as unknown.
static constexpr unsigned MaxDepth = 60;

void Engine::setResult(const Frame &F, const Op &O, State &S, ValueId V) {
  if (O.ResultIndex != None)
    S.Mem = MemFactory.add(
        S.Mem, D.loc(LocKind::Result, O.ResultIndex, F.Function), V);
}

/// The entries of memory that code holding \p Roots can see.
std::vector<std::pair<LocId, ValueId>>
Engine::reachable(const State &S, llvm::ArrayRef<ValueId> Roots) {
  llvm::SmallDenseSet<LocId, 16> Open;
  llvm::SmallVector<ValueId, 16> Work(Roots.begin(), Roots.end());
  llvm::SmallDenseSet<ValueId, 32> Seen;
  auto Follow = [&](ValueId V) {
    D.visitTree(V, [&](ValueId Part) {
      const ValueNode &N = D[Part];
      if (N.Kind == ValueKind::Addr || N.Kind == ValueKind::Closure ||
          N.Kind == ValueKind::CopyOf)
        Open.insert(D.root(N.A));
    });
  };
  for (ValueId V : Roots)
    Follow(V);
  std::vector<std::pair<LocId, ValueId>> Result;
  llvm::SmallDenseSet<LocId, 32> Taken;
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (auto It = S.Mem.begin(); It != S.Mem.end(); ++It) {
      LocId L = It.getKey();
      LocId Root = D.root(L);
      LocKind K = D.at(Root).Kind;
      bool Everywhere = K == LocKind::Global || K == LocKind::Pointee;
      if (!Everywhere && !Open.count(Root))
        continue;
      if (!Taken.insert(L).second)
        continue;
      Result.push_back({L, It.getData()});
      Follow(It.getData());
      Changed = true;
    }
  }
  llvm::sort(Result);
  return Result;
}

/// Moves the start of captures that the call at \p O opened into this frame.
void Engine::reroot(const Frame &F, const Op &O, const State &Before,
                    State &After) {
  for (CaptureId &C : After.Active) {
    if (llvm::is_contained(Before.Active, C))
      continue;
    CaptureRecord R = Result.Captures[C];
    if (R.Home == F.Function && R.Site.Begin == O.Range.Begin)
      continue;
    R.Home = F.Function;
    R.HomeBlock = F.Block;
    R.Site = O.Range;
    R.Ends.clear();
    if (R.Root == RootKind::ApiPair || R.Root == RootKind::Libtorch)
      R.Root = RootKind::Wrapper;
    CaptureId Outer = intern(std::move(R));
    Result.Superseded.push_back({C, Outer});
    // Streams joined to it stay joined: membership does not name the capture.
    C = Outer;
  }
}

Engine::States Engine::enter(Frame &F, const Op &O, State S, FunctionId Callee,
                             ValueId This, llvm::ArrayRef<ValueId> Args,
                             bool Uncertain, ValueId *Returned) {
  const FlowGraph *G = Table.graph(Callee);
  Visited.insert(Callee);
  Frame Inner;
  Inner.Function = Callee;
  Inner.Graph = G;
  Inner.Parent = &F;
  Inner.CallSite = &O;
  Inner.CallBlock = F.Block;
  Inner.This = This;
  Inner.Depth = F.Depth + 1;
  Inner.Uncertain = Uncertain;

  llvm::SmallVector<ValueId, 8> Roots(Args.begin(), Args.end());
  if (This != None)
    Roots.push_back(This);
  auto Visible = reachable(S, Roots);

  // The key: everything the walk of the callee depends on.
  std::vector<unsigned> Key{Callee, This, static_cast<unsigned>(S.ThreadMode),
                            S.Failing, G->NumParams};
  bool Soft = false;
  if (!S.Active.empty()) {
    Fact Probe = factAt(F, O, S, S.Active.back());
    Soft = Probe.Sure != Confidence::Certain || Uncertain;
    Key.push_back(Soft);
    Key.push_back(Probe.Allowed);
  }
  for (CaptureId C : S.Active)
    Key.push_back(C);
  Key.push_back(None);
  for (unsigned I = 0; I < G->NumParams; ++I)
    Key.push_back(I < Args.size() ? Args[I] : None);
  for (auto [L, V] : Visible) {
    Key.push_back(L);
    Key.push_back(V);
  }
  Key.push_back(None);
  llvm::SmallDenseSet<ValueId, 16> ArgParts;
  for (ValueId A : Roots)
    D.visitTree(A, [&](ValueId Part) { ArgParts.insert(Part); });
  FactMap Facts = FactFactory.getEmptyMap();
  for (auto It = S.Facts.begin(); It != S.Facts.end(); ++It) {
    bool Keep = ArgParts.count(It.getKey());
    const ValueNode &N = D[It.getKey()];
    if (N.Kind == ValueKind::Init) {
      LocKind K = D.at(D.root(N.A)).Kind;
      Keep |= K == LocKind::Global || K == LocKind::Pointee;
    }
    if (!Keep)
      continue;
    Facts = FactFactory.add(Facts, It.getKey(), It.getData());
    Key.push_back(It.getKey());
    Key.push_back(It.getData());
  }
  Key.push_back(None);
  for (const FactMap *M : {&S.Streams, &S.Events}) {
    for (auto It = M->begin(); It != M->end(); ++It) {
      Key.push_back(It.getKey());
      Key.push_back(It.getData());
    }
    Key.push_back(None);
  }

  auto Found = Memo.find(Key);
  if (Found == Memo.end()) {
    if (F.Depth > MaxDepth || !InProgress.insert(Key).second) {
      if (Returned)
        *Returned = D.opaque(Domain::site(Callee, 0, 8));
      setResult(F, O, S, D.opaque(Domain::site(Callee, 0, 8)));
      return {std::move(S)};
    }
    State Entry = freshState();
    Entry.Active = S.Active;
    Entry.ThreadMode = S.ThreadMode;
    Entry.Failing = S.Failing;
    Entry.Facts = Facts;
    Entry.Streams = S.Streams;
    Entry.Events = S.Events;
    for (auto [L, V] : Visible)
      Entry.Mem = MemFactory.add(Entry.Mem, L, V);
    for (unsigned I = 0; I < G->NumParams; ++I)
      Entry.Mem = MemFactory.add(
          Entry.Mem, D.loc(LocKind::Var, I, Callee),
          I < Args.size() ? Args[I] : D.opaque(Domain::site(Callee, I, 10)));
    Exits Out = walk(Inner, std::move(Entry));
    InProgress.erase(Key);
    Found = Memo.emplace(std::move(Key), std::move(Out)).first;
  }

  States After;
  for (const Exit &E : Found->second) {
    State R = S;
    R.Active = E.S.Active;
    R.ThreadMode = E.S.ThreadMode;
    R.Failing = S.Failing || E.S.Failing;
    R.Streams = E.S.Streams;
    R.Events = E.S.Events;
    for (auto It = E.S.Facts.begin(); It != E.S.Facts.end(); ++It)
      R.Facts = FactFactory.add(R.Facts, It.getKey(), It.getData());
    for (auto [L, V] : Visible)
      R.Mem = MemFactory.remove(R.Mem, L);
    llvm::SmallVector<ValueId, 8> Kept = Roots;
    Kept.push_back(E.Returned);
    for (auto [L, V] : reachable(E.S, Kept)) {
      const LocNode &Root = D.at(D.root(L));
      if ((Root.Kind == LocKind::Var || Root.Kind == LocKind::Result ||
           Root.Kind == LocKind::Return) &&
          Root.A == Callee && Callee != F.Function)
        continue;
      R.Mem = MemFactory.add(R.Mem, L, V);
    }
    reroot(F, O, S, R);
    setResult(F, O, R, E.Returned);
    if (Returned)
      *Returned = E.Returned;
    After.push_back(std::move(R));
  }
  return After;
}

void Engine::callOpaque(Frame &F, const Op &O, State &S, FunctionId Callee,
                        llvm::ArrayRef<ValueId> Args) {
  const FunctionInfo *Info = Callee == None ? nullptr : &Table.info(Callee);
  bool Known = Info && (Info->IsSystem || Info->IsDevice);
  setResult(F, O, S, D.opaque(Domain::site(F.Function, O.ResultIndex, 2)));
  if (Known && Info) {
    // Library code that is not catalogued: remember what it was computed
    // from, so that std::min(n, 256) still depends on n.
    ValueId Parts = None;
    for (ValueId A : Args) {
      ValueId V = D[A].Kind == ValueKind::Addr ? read(S, D[A].A) : A;
      if (D[V].Kind == ValueKind::CopyOf || D[V].Kind == ValueKind::Closure)
        continue;
      Parts = Parts == None ? V : D.apply("aggregate", Parts, V);
    }
    if (Parts != None)
      setResult(F, O, S, D.value(ValueKind::Op, 0, Parts, None, "library"));
  }
  for (unsigned I = 0; I < Args.size(); ++I) {
    const ValueNode N = D[Args[I]];
    unsigned Maybe = static_cast<unsigned>(Membership::MaybeJoined);
    auto Suspect = [&](ValueId V) {
      ValueKind K = D[V].Kind;
      if ((K == ValueKind::Stream || K == ValueKind::Init) &&
          !S.Streams.contains(V) && !S.Active.empty())
        S.Streams = FactFactory.add(S.Streams, V, Maybe);
    };
    if (!Known)
      Suspect(Args[I]);
    if (N.Kind != ValueKind::Addr)
      continue;
    // What the address points to may have been written.
    LocId Root = D.root(N.A);
    Memory Old = S.Mem;
    for (auto It = Old.begin(); It != Old.end(); ++It) {
      if (D.root(It.getKey()) != Root)
        continue;
      bool Whole = It.getKey() == N.A;
      bool Null = D.asInt(It.getData()) == 0;
      if (!Known)
        Suspect(It.getData());
      ValueKind K = D[It.getData()].Kind;
      bool Scalar = K != ValueKind::Closure && K != ValueKind::CopyOf &&
                    K != ValueKind::Function;
      if ((Whole && Scalar && !Known) || (Null && !Known) ||
          (Whole && Known && Null))
        S.Mem = MemFactory.add(
            S.Mem, It.getKey(),
            D.opaque(Domain::site(F.Function, O.ResultIndex * 16 + I, 11)));
    }
  }
  if (S.Active.empty() || (Info && Info->IsSystem) ||
      (Info && (Info->IsDevice || Info->NoReturn)))
    return;
  if (Info && Info->HasBody && Table.graph(Callee))
    return;
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
  bool Resolved = false;
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
    } else if (Fallback != None) {
      Callee = Fallback;
      This = FallbackThis;
    }
    if (Callee == None)
      continue;
    Resolved = true;
    for (State &After :
         dispatch(F, O, S, Callee, This, Args, Targets.size() > 1))
      All.push_back(std::move(After));
  }
  if (Resolved)
    return All;
  callOpaque(F, O, S, None, Args);
  return {std::move(S)};
}

/// Calls \p Callee: by its catalogue entry, by its body, or as unknown.
Engine::States Engine::dispatch(Frame &F, const Op &O, State S,
                                FunctionId Callee, ValueId This,
                                llvm::ArrayRef<ValueId> Args, bool Uncertain) {
  const FunctionInfo &Info = Table.info(Callee);
  if (Info.RegionScope && (Info.IsConstructor || Info.IsDestructor))
    return regionScope(F, O, std::move(S), Info, Args);
  if (const catalogue::Entry *E = Relevance::entryFor(Info, Catalogue))
    return applyApi(F, O, std::move(S), *E, Callee, This, Args);
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
    uint8_t Bits = Rel.bits(Callee);
    bool Enter = Info.ReturnsHandle || Info.IsConstructor || Info.IsDestructor;
    if (S.Active.empty())
      Enter |=
          Bits & (Relevance::Opens | Relevance::Defines | Relevance::Unknown);
    else
      Enter |= Bits != 0;
    // Predicates are worth entering too: they may be guards.
    Enter |= Bits & Relevance::Effects;
    if (Enter)
      return enter(F, O, std::move(S), Callee, This, Args, Uncertain, nullptr);
    setResult(F, O, S, D.opaque(Domain::site(F.Function, O.ResultIndex, 2)));
    return {std::move(S)};
  }
  if (Info.IsSystem) {
    States After = invokeCallables(F, O, S, Args);
    for (State &Each : After)
      callOpaque(F, O, Each, Callee, Args);
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
    launch(F, O, S, Config);
    return {std::move(S)};
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
      Each.Mem = MemFactory.add(Each.Mem, ClassOf,
                                D.value(ValueKind::Function, O.Callee));
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
    if (const ValueId *V = S.Mem.lookup(ClassOf);
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
