//===- Engine.cpp - Roots, blocks and joins -------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fixpoint over one flow graph, and the choice of where to start. Visits
// of a block are bounded, as is the work of a whole translation unit; a bound
// that is hit is reported as incomplete, never hidden.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

Engine::Engine(Program &Table, const Relevance &Rel,
               const catalogue::Catalogue &Catalogue, GraphShapes &Shapes,
               const WalkLimits &Limits)
    : Table(Table), Catalogue(Catalogue),
      HostDevices(Catalogue.values(catalogue::Role::HostDevice)),
      CudaDevices(Catalogue.values(catalogue::Role::CudaDevice)),
      BooleanScalars(Catalogue.values(catalogue::Role::BooleanScalar)),
      Rel(Rel), Shapes(Shapes), Limits(Limits) {}

/// True if the walk has used up what it may cost.
bool Engine::isSpent() {
  if (Limits.OutOfTime && !Result.OutOfTime && Steps >= NextLook) {
    NextLook = Steps + 1000;
    Result.OutOfTime = Limits.OutOfTime();
  }
  bool Spent = Steps > Limits.Steps || Result.OutOfTime;
  Result.BudgetExceeded |= Spent;
  return Spent;
}

State Engine::freshState() { return State(); }

FactSet Engine::run(const Root &From) {
  FunctionId F = From.Function;
  const FlowGraph *G = Table.graph(F);
  if (G && From.Assumed) {
    runAssumed(F, *From.Assumed);
  } else if (G) {
    Frame Top;
    Top.Function = F;
    Top.Graph = G;
    LocId Self = D.loc(LocKind::Global, 0, F, None, "this");
    Top.This = D.value(ValueKind::Init, 0, Self);
    Top.Allowed = Table.info(F).Allowed;
    Result.Visited.insert(F);
    takeParams(Top);
    walk(Top, freshState());
  }
  conclude();
  finishTimelines();
  Result.Steps = Steps;
  Result.Work += Steps;
  return std::move(Result);
}

void Engine::runAssumed(FunctionId F, RootKind Root) {
  const FlowGraph *G = Table.graph(F);
  if (!G)
    return;
  const FunctionInfo &Info = Table.info(F);
  Frame Top;
  Top.Function = F;
  Top.Graph = G;
  Top.Allowed = Info.Allowed;
  Top.This =
      D.value(ValueKind::Init, 0, D.loc(LocKind::Global, 0, F, None, "this"));
  State S = freshState();
  CaptureRecord R;
  R.Home = F;
  R.Site = R.BeginCall = Info.Where;
  R.BeginIn = F;
  R.Root = Root;
  R.Origin = D.opaque(Domain::site(F, 0, 9));
  if (Root == RootKind::TorchOps) {
    // PyTorch makes a stream of its pool the current one, and captures there in
    // global mode unless it is told otherwise (torch/cuda/graphs.py).
    R.Mode = catalogue::Mode::Global;
    R.Kind = catalogue::StreamKind::NonBlocking;
    R.Origin = D.value(ValueKind::Stream, Domain::site(F, 0, 9), None,
                       static_cast<unsigned>(*R.Kind));
    R.StreamName = "the current stream";
    assign(S, currentStream(D), R.Origin);
  }
  for (unsigned I = 0; I < G->NumParams; ++I)
    if (G->Vars[I].IsStream) {
      LocId L = D.loc(LocKind::Var, I, F);
      if (Root == RootKind::TorchOps) {
        assign(S, L, R.Origin); // what its caller passes is the current one
        break;
      }
      R.Origin = defaultContents(L);
      R.StreamName = G->Vars[I].Name;
      break;
    }
  S.Active.push_back(intern(R));
  addBegin(Top, S.Active.back());
  if (Root == RootKind::TorchOps)
    OperatorRoot = F;
  Result.Visited.insert(F);
  takeParams(Top);
  Exits Out = walk(Top, S);
  if (Root != RootKind::TorchOps)
    return;
  // What it forks it joins: its caller knows nothing of the other stream.
  Op End;
  End.Range = Info.Where;
  for (Exit &E : Out)
    if (!E.S.Failing && !E.S.Active.empty())
      checkJoined(Top, End, E.S, E.S.Active.back(), nullptr);
}

CaptureId Engine::intern(CaptureRecord R) {
  auto Key = std::tuple(R.Site.Begin, R.BeginCall.Begin, R.Origin, R.Home,
                        R.Mode ? static_cast<unsigned>(*R.Mode) : 9u);
  auto [It, New] = CaptureIds.try_emplace(Key, Result.Captures.size());
  if (New)
    Result.Captures.push_back(std::move(R));
  return It->second;
}

Engine::Exits Engine::walk(const Frame &Caller, State Entry) {
  Frame F = Caller;
  const FlowGraph &G = *F.Graph;
  std::vector<States> In(G.Blocks.size());
  std::vector<unsigned> Visits(G.Blocks.size(), 0);
  // Blocks are numbered in reverse post-order: the least one goes first.
  std::set<unsigned> Work;
  llvm::SmallVector<CaptureId, 2> AtEntry = Entry.Active;
  In[0].push_back(std::move(Entry));
  Work.insert(0);
  F.Loops = &Shapes.capturingLoops(F.Function, G);
  F.Visits = &Visits;
  LoopStates Iterated;
  F.Iterated = &Iterated;
  std::vector<Fact> OpenReturns;
  F.OpenReturns = &OpenReturns;
  std::set<unsigned> ClosedReturns;
  F.ClosedReturns = &ClosedReturns;
  std::set<unsigned> Released;
  while (true) {
    if (Work.empty()) {
      // Loops whose body never came back: let their entry pass after all.
      for (unsigned H : *F.Loops)
        if (!In[H].empty() && !Iterated.count(H) && Released.insert(H).second)
          Work.insert(H);
      // Loops that wait for another thread end when it has acted.
      if (Work.empty() && In[G.Exit].empty() && !F.Forced &&
          !G.Blocks[0].NeverReturns) {
        F.Forced = true;
        for (unsigned B = 0; B < G.Blocks.size(); ++B)
          if (!In[B].empty() && G.Blocks[B].Cond != None)
            Work.insert(B);
      }
      if (Work.empty())
        break;
    }
    unsigned B = *Work.begin();
    Work.erase(Work.begin());
    if (B == G.Exit)
      continue;
    F.Released = Released.count(B);
    if (++Visits[B] > MaxVisits || isSpent())
      continue;
    F.Block = B;
    States Current = In[B];
    for (State &S : Current) {
      walkBlock(F, std::move(S), In, Work);
    }
  }
  Exits Out;
  for (State &S : In[G.Exit])
    endActivation(F, S);
  std::set<CaptureId> LeftOpen;
  for (const State &S : In[G.Exit])
    LeftOpen.insert(S.Active.begin(), S.Active.end());
  LocId Ret = D.loc(LocKind::Return, 0, F.Function);
  for (State &S : In[G.Exit]) {
    // What a function opens by comment ends with it, and what it leaves open
    // on a failure path is abandoned, not handed to the caller.
    llvm::erase_if(S.Active, [&](CaptureId C) {
      if (llvm::is_contained(AtEntry, C))
        return false;
      bool Comment = Result.Captures[C].Root == RootKind::Comment;
      if (Comment && G.TrailingEnd.Begin)
        addEnd(F, C, G.TrailingEnd);
      return S.Failing || Comment;
    });
    ValueId Returned = D.opaque(Domain::site(F.Function, 0, 8));
    if (std::optional<unsigned> V = S.Mem.lookup(Ret))
      Returned = *V;
    Out.push_back({S, Returned});
  }
  // Some paths leave a capture open that others close: a leak on an early
  // return, unless the function never ends captures at all.
  if (Rel.bits(F.Function) & Relevance::Ends)
    if (llvm::any_of(Out, [&](Exit &E) { return E.S.Active == AtEntry; })) {
      // Returns are left by way of destructors, which may end it, too.
      bool Destructor = llvm::any_of(G.Blocks, [&](const Block &B) {
        return llvm::any_of(B.Ops, [&](const Op &O) {
          return O.Implicit && O.Callee != None &&
                 (Rel.bits(O.Callee) & Relevance::Ends);
        });
      });
      llvm::erase_if(OpenReturns, [&](const Fact &Each) {
        // What all paths leave by, those too that end the capture or never
        // begin it, is no early way out: conditions belong together.
        if (ClosedReturns.count(Each.Range.Begin))
          return true;
        return Each.Unwalked ? Destructor : !LeftOpen.count(Each.Capture);
      });
      llvm::erase_if(
          Out, [&](Exit &E) { return E.S.Active.size() > AtEntry.size(); });
      for (Fact &Each : OpenReturns)
        if (Result.Captures[Each.Capture].Ends.size())
          record(std::move(Each));
    }
  return Out;
}

void Engine::walkBlock(Frame &F, State S, std::vector<States> &In,
                       std::set<unsigned> &Work) {
  const Block &B = F.Graph->Blocks[F.Block];
  if (B.NeverReturns)
    S.Failing = true;
  States Now{std::move(S)};
  for (const Op &O : B.Ops) {
    States Next;
    for (State &Each : Now) {
      ++Steps;
      for (State &After : exec(F, O, std::move(Each))) {
        auto Same = llvm::find_if(
            Next, [&](const State &X) { return X.sameKey(After); });
        if (Same == Next.end())
          Next.push_back(std::move(After));
        else
          mergeInto(*Same, After, Domain::site(F.Function, O.Range.Begin, 4),
                    false);
      }
    }
    Now = std::move(Next);
  }
  for (State &Each : Now) {
    if (B.Throw.Begin) {
      Op Thrown;
      Thrown.Range = B.Throw;
      noteOpenReturn(F, Thrown, Each, /*Unwalked=*/true);
    }
    // What is left out of a capture is no failure.
    if (Shapes.isErrorExit(B) &&
        (Each.Active.empty() || !Shapes.knowsOfCapture(F.Function, F.Block)))
      Each.Failing = true;
    branch(F, Each, B, In, Work);
  }
}

void Engine::enqueue(const Frame &F, unsigned To, const State &S,
                     std::vector<States> &In, std::set<unsigned> &Work) {
  for (State &Old : In[To])
    if (Old.sameKey(S)) {
      if (mergeInto(Old, S, Domain::site(F.Function, To, 3),
                    F.Visits && (*F.Visits)[To] > WidenAfter))
        Work.insert(To);
      return;
    }
  if (In[To].size() >= MaxStates) {
    Result.BudgetExceeded = true;
    // Keep the states in which less is captured: they claim less.
    auto Most = llvm::max_element(In[To], [](const State &A, const State &B) {
      return A.Active.size() < B.Active.size();
    });
    if (Most->Active.size() > S.Active.size()) {
      *Most = S;
      Work.insert(To);
    }
    return;
  }
  In[To].push_back(S);
  Work.insert(To);
}

void Engine::branch(Frame &F, State &S, const Block &B, std::vector<States> &In,
                    std::set<unsigned> &Work) {
  ValueId Cond = B.Cond == None ? None : eval(F, B.Cond, S);
  // Results that no other block uses have served.
  S.Mem.eraseIf([&](const Memory::Item &I) {
    const LocNode L = D.at(I.Key);
    return L.Kind == LocKind::Result && L.A == F.Function &&
           !F.Graph->KeptResults[L.N];
  });
  if (Cond == None) {
    for (const Edge &E : B.Succs) {
      if (E.To <= F.Block && F.Loops->count(E.To))
        (*F.Iterated)[E.To].insert(S.Active);
      enqueue(F, E.To, S, In, Work);
    }
    return;
  }
  if (S.Active.empty())
    noteKeys(S, Cond);
  else
    noteBranch(F, S, B, Cond);
  std::optional<bool> Known = truth(S, Cond);
  if (F.Forced)
    Known.reset();
  bool CaseTaken = llvm::any_of(B.Succs, [&](const Edge &E) {
    return E.When == 3 &&
           truth(S, D.apply("==", Cond, D.integer(E.Case))) == true;
  });
  // Only states that have been round a capturing loop leave it.
  bool Stay = false;
  if (F.Loops->count(F.Block) && !F.Released) {
    const auto &Seen = (*F.Iterated)[F.Block];
    Stay = llvm::none_of(Seen, [&](const llvm::SmallVector<CaptureId, 2> &A) {
      return A == S.Active;
    });
    if (Seen.empty())
      F.Iterated->erase(F.Block);
  }
  auto Enqueue = [&](const Edge &E, const State &Next) {
    if (E.To <= F.Block && F.Loops->count(E.To))
      (*F.Iterated)[E.To].insert(Next.Active);
    enqueue(F, E.To, Next, In, Work);
  };
  for (const Edge &E : B.Succs) {
    // The exit of a `for` or `while` is its false edge.
    if (Stay && E.When == 0)
      continue;
    State Next = S;
    if (E.When == 3) {
      ValueId Equals = D.apply("==", Cond, D.integer(E.Case));
      std::optional<bool> Taken = truth(S, Equals);
      if (Taken && !*Taken)
        continue;
      assume(Next, Equals, true);
    } else if (E.When == 2) {
      if (CaseTaken)
        continue;
      for (const Edge &Other : B.Succs)
        if (Other.When == 3)
          assume(Next, D.apply("==", Cond, D.integer(Other.Case)), false);
    } else {
      bool Truth = E.When == 1;
      if (Known && *Known != Truth) {
        if (E.Failure)
          noteFailureExit(F, S, Cond, E.To);
        continue;
      }
      assume(Next, Cond, Truth);
      // Who insists on one tensor of the host may work on others of the device;
      // that takes a branch with two ways to go on.
      bool Decides = !B.Partial && llvm::none_of(B.Succs, [&](const Edge &X) {
        return X.To != E.To && F.Graph->Blocks[X.To].NeverReturns;
      });
      if (!Decides) {
        if (std::optional<unsigned> Before = S.Mem.lookup(hostPath(D)))
          Next.Mem.set(hostPath(D), *Before);
        else
          Next.Mem.erase(hostPath(D));
      }
    }
    if (E.Failure && !Known)
      Next.Failing = true;
    Enqueue(E, Next);
  }
}

Engine::States Engine::exec(Frame &F, const Op &O, State S) {
  switch (O.Kind) {
  case OpKind::Assign:
  case OpKind::Modify: {
    ValueId V = eval(F, O.Value, S);
    LocId L = evalPlace(F, O.Place, S);
    if (O.Once && D.at(L).Kind == LocKind::Global && S.Mem.contains(L))
      return {std::move(S)};
    noteWrite(F, O, S, L);
    assign(S, L, V);
    return {std::move(S)};
  }
  case OpKind::Return:
    if (S.Active.empty() && F.ClosedReturns)
      F.ClosedReturns->insert(O.Range.Begin);
    noteOpenReturn(F, O, S);
    if (O.Value != None) {
      ValueId V = eval(F, O.Value, S);
      assign(S, D.loc(LocKind::Return, 0, F.Function), V);
    }
    return {std::move(S)};
  case OpKind::MarkerBegin: {
    CaptureRecord R;
    R.Root = RootKind::Comment;
    R.Origin = eval(F, O.Value, S);
    R.StreamName = O.Text;
    R.BeginName = "begin-capture";
    beginCapture(F, O, S, std::move(R));
    return {std::move(S)};
  }
  case OpKind::MarkerEnd:
    for (unsigned I = S.Active.size(); I-- > 0;)
      if (Result.Captures[S.Active[I]].Root == RootKind::Comment) {
        addEnd(F, S.Active[I], O.Range);
        S.Active.erase(S.Active.begin() + I);
        break;
      }
    return {std::move(S)};
  case OpKind::EndLife:
    endLife(F, S, D.loc(LocKind::Var, F.Graph->Exprs[O.Place].N, F.Function),
            O.Range);
    return {std::move(S)};
  case OpKind::Free:
    freed(F, O, S, eval(F, O.Value, S));
    return {std::move(S)};
  case OpKind::Unparsed:
    S.Unparsed = S.Active.empty()
                     ? std::max<uint8_t>(S.Unparsed, State::UnparsedBefore)
                     : State::UnparsedWithin;
    return {std::move(S)};
  case OpKind::Call:
    // An initialiser that has run does not run again.
    if (O.OnceOf != None && S.Mem.contains(evalPlace(F, O.OnceOf, S)))
      return {std::move(S)};
    return call(F, O, std::move(S));
  }
  return {};
}

} // namespace cudagraph
