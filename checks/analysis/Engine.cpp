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
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/Regex.h"

using namespace clang;

namespace cudagraph {

using catalogue::Effect;

/// A block is visited at most this often in one walk.
static constexpr unsigned MaxVisits = 24;
/// From this visit on, joins stop counting what a variable may hold.
static constexpr unsigned WidenAfter = 3;
/// Operations interpreted for one translation unit.
static constexpr uint64_t MaxSteps = 600'000;
/// States of one block that differ in what captures.
static constexpr unsigned MaxStates = 8;
/// Graphs larger than this are not checked for "every path reaches it".
static constexpr unsigned MaxPostDomBlocks = 3000;

Engine::Engine(FunctionTable &Table, const catalogue::Catalogue &Catalogue,
               const AnalysisOptions &Options)
    : Table(Table), Catalogue(Catalogue), Options(Options) {
  std::string Ignored;
  RootSelection::parse(Options.Roots, Selection, Ignored);
  ASTContext &Ctx = Table.context();
  PerThreadDefault = Ctx.getLangOpts().GPUDefaultStream ==
                     LangOptions::GPUDefaultStreamKind::PerThread;
  // CUDA_API_PER_THREAD_DEFAULT_STREAM renames the functions: the plain name is
  // then not declared.
  auto Declares = [&](const char *Name) {
    return !Ctx.getTranslationUnitDecl()
                ->lookup(DeclarationName(&Ctx.Idents.get(Name)))
                .empty();
  };
  for (auto [Renamed, Plain] :
       {std::pair("cudaMemcpyAsync_ptsz", "cudaMemcpyAsync"),
        std::pair("cuMemcpyAsync_ptsz", "cuMemcpyAsync")})
    PerThreadDefault |= Declares(Renamed) && !Declares(Plain);
}

State Engine::freshState() { return State(); }

FactSet Engine::run() {
  std::vector<FunctionId> Functions = Table.collect();
  Rel.compute(Table, Catalogue, Functions);
  for (unsigned F = 0; F < Table.size(); ++F)
    if (!llvm::is_contained(Functions, F) && Rel.bits(F) && Table.graph(F))
      Functions.push_back(F); // lambdas and local classes
  runRoots(Functions);
  for (FunctionId F : Functions) {
    const FunctionInfo &Info = Table.info(F);
    if (Info.CaptureRegion || Info.CaptureSafe)
      runAssumed(F, RootKind::Annotation);
    for (const std::string &Text : Selection.FunctionRegexes)
      if (llvm::Regex(Text).match(Info.Name) ||
          llvm::Regex(Text).match(Info.Signature)) {
        runAssumed(F, RootKind::Function);
        break;
      }
    if (!Selection.StreamParam || Info.IsStatic || Info.IsLambda ||
        Info.IsDevice)
      continue;
    const FlowGraph *G = Table.graph(F);
    if (G && llvm::any_of(llvm::seq(0u, G->NumParams),
                          [&](unsigned I) { return G->Vars[I].IsStream; }))
      runAssumed(F, RootKind::StreamParam);
  }
  return std::move(Result);
}

void Engine::runRoots(const std::vector<FunctionId> &Functions) {
  auto Opens = [&](FunctionId F) { return Rel.bits(F) & Relevance::Opens; };
  auto Run = [&](FunctionId F) {
    const FlowGraph *G = Table.graph(F);
    if (!G)
      return;
    Frame Root;
    Root.Function = F;
    Root.Graph = G;
    State S = freshState();
    LocId Self = D.loc(LocKind::Global, 0, F, None, "this");
    Root.This = D.value(ValueKind::Init, 0, Self);
    Visited.insert(F);
    walk(Root, S);
  };
  for (FunctionId F : Functions)
    if (Opens(F) && llvm::none_of(Rel.callersOf(F), [&](FunctionId C) {
          return C != F && Opens(C);
        }))
      Run(F);
  // Cycles, callbacks and functions that no visited path reaches.
  for (FunctionId F : Functions)
    if (Opens(F) && !Visited.count(F))
      Run(F);
}

void Engine::runAssumed(FunctionId F, RootKind Root) {
  const FlowGraph *G = Table.graph(F);
  if (!G)
    return;
  const FunctionInfo &Info = Table.info(F);
  Frame Top;
  Top.Function = F;
  Top.Graph = G;
  Top.This =
      D.value(ValueKind::Init, 0, D.loc(LocKind::Global, 0, F, None, "this"));
  State S = freshState();
  CaptureRecord R;
  R.Home = F;
  R.Site = R.BeginCall = Info.Where;
  R.BeginIn = F;
  R.Root = Root;
  R.Origin = D.opaque(Domain::site(F, 0, 9));
  for (unsigned I = 0; I < G->NumParams; ++I)
    if (G->Vars[I].IsStream) {
      LocId L = D.loc(LocKind::Var, I, F);
      R.Origin = defaultContents(L);
      R.StreamName = G->Vars[I].Name;
      break;
    }
  S.Active.push_back(intern(R));
  Visited.insert(F);
  walk(Top, S);
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
  F.Loops = &capturingLoops(F.Function, G);
  F.Visits = &Visits;
  LoopStates Iterated;
  F.Iterated = &Iterated;
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
    if (++Visits[B] > MaxVisits || Steps > MaxSteps) {
      Result.BudgetExceeded |= Steps > MaxSteps;
      continue;
    }
    F.Block = B;
    States Current = In[B];
    for (State &S : Current) {
      walkBlock(F, std::move(S), In, Work);
    }
  }
  Exits Out;
  LocId Ret = D.loc(LocKind::Return, 0, F.Function);
  for (State &S : In[G.Exit]) {
    // What a function opens by comment ends with it, and what it leaves open
    // on a failure path is abandoned, not handed to the caller.
    llvm::erase_if(S.Active, [&](CaptureId C) {
      if (llvm::is_contained(AtEntry, C))
        return false;
      bool Comment = Result.Captures[C].Root == RootKind::Comment;
      if (Comment && G.TrailingEnd.Begin)
        addEnd(C, G.TrailingEnd);
      return S.Failing || Comment;
    });
    ValueId Returned = D.opaque(Domain::site(F.Function, 0, 8));
    if (const ValueId *V = S.Mem.lookup(Ret))
      Returned = *V;
    Out.push_back({S, Returned});
  }
  // Some paths leave a capture open that others close: a leak on an early
  // return, unless the function never ends captures at all.
  if (Rel.bits(F.Function) & Relevance::Ends)
    if (llvm::any_of(Out, [&](Exit &E) { return E.S.Active == AtEntry; }))
      llvm::erase_if(
          Out, [&](Exit &E) { return E.S.Active.size() > AtEntry.size(); });
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
    if (isErrorExit(B))
      Each.Failing = true;
    branch(F, Each, B, In, Work);
  }
}

/// Headers of loops whose body begins or ends a capture. Such loops run over
/// the streams of several devices, begin and end alike: skipping one of them
/// altogether is not a path that exists.
const std::set<unsigned> &Engine::capturingLoops(FunctionId F,
                                                 const FlowGraph &G) {
  auto [It, New] = LoopHeaders.try_emplace(&G);
  std::set<unsigned> &Headers = It->second;
  if (!New || !(Rel.bits(F) & Relevance::Opens))
    return Headers;
  std::vector<std::vector<unsigned>> Preds(G.Blocks.size());
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    for (const Edge &E : G.Blocks[B].Succs)
      Preds[E.To].push_back(B);
  auto Opens = [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      if (O.Kind != OpKind::Call || O.Callee == None)
        return false;
      const catalogue::Entry *E =
          Relevance::entryFor(Table.info(O.Callee), Catalogue);
      return E ? E->Does == Effect::CaptureBegin ||
                     E->Does == Effect::CaptureEnd
               : Table.graph(O.Callee) &&
                     (Rel.bits(O.Callee) & Relevance::Opens);
    });
  };
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    for (const Edge &E : G.Blocks[B].Succs) {
      if (E.To > B || Headers.count(E.To))
        continue;
      // The natural loop of this back edge.
      std::set<unsigned> Body{E.To};
      std::vector<unsigned> Walk{B};
      while (!Walk.empty()) {
        unsigned X = Walk.back();
        Walk.pop_back();
        if (Body.insert(X).second)
          for (unsigned P : Preds[X])
            if (P >= E.To)
              Walk.push_back(P);
      }
      if (G.Blocks[E.To].Succs.size() > 1 &&
          llvm::any_of(Body, [&](unsigned X) { return Opens(G.Blocks[X]); }))
        Headers.insert(E.To);
    }
  return Headers;
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
    const LocNode &L = D.at(I.Key);
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
  if (!S.Active.empty() && !S.Failing) {
    Span At;
    std::optional<Variation> Var = variation(S, Cond, &At);
    bool Skips = llvm::any_of(B.Succs, [](const Edge &E) { return E.Failure; });
    if (Var && *Var != Variation::HostState && !Skips) {
      Op Where;
      Where.Range = B.CondRange;
      Fact Result = factAt(F, Where, S, S.Active.back());
      Result.Kind = FactKind::HostBranch;
      Result.Varies = Var;
      Result.VariesAt = At;
      Result.Sure = std::min(Result.Sure, Confidence::Likely);
      record(std::move(Result));
    }
  }
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
      if (Known && *Known != Truth)
        continue;
      assume(Next, Cond, Truth);
    }
    if (E.Failure && !Known)
      Next.Failing = true;
    Enqueue(E, Next);
  }
}

/// Joins \p New into \p Into; true if \p Into now allows more.
bool Engine::mergeInto(State &Into, const State &New, int64_t JoinSite,
                       bool Widen) {
  // What a failure path leaves behind does not blur the others.
  if (New.Failing && !Into.Failing)
    return false;
  if (Into.Failing && !New.Failing) {
    Into = New;
    return true;
  }
  bool Changed = false;
  if (!(Into.Mem == New.Mem)) {
    Steps += Into.Mem.size() / 32; // joins are work, too
    auto Join = [&](LocId L, const ValueId *Old, const ValueId *Other) {
      LocKind Root = D.at(D.root(L)).Kind;
      bool Local = Root == LocKind::Var || Root == LocKind::Temp ||
                   Root == LocKind::Result || Root == LocKind::Return;
      if (!Old || !Other) {
        // A local is not initialised on the other path; anything else still
        // has the contents it had at entry.
        if (Local) {
          if (!Old) {
            Into.Mem.set(L, *Other);
            Changed = true;
          }
          return;
        }
      }
      ValueId A = Old ? *Old : defaultContents(L);
      ValueId B = Other ? *Other : defaultContents(L);
      if (A == B)
        return;
      const ValueNode &Mine = D[A];
      ValueId Phi =
          Mine.Kind == ValueKind::Phi && Mine.N == JoinSite && Mine.A == L
              ? A
              : D.value(ValueKind::Phi, JoinSite, L);
      if (A != Phi) {
        D.addCandidate(Phi, A, Widen);
        D.addCandidate(Phi, B, Widen);
        Into.Mem.set(L, Phi);
        Changed = true;
      } else if (D.addCandidate(Phi, B, Widen)) {
        Changed = true;
      }
    };
    Memory Old = Into.Mem;
    auto Mine = Old.begin(), Theirs = New.Mem.begin();
    while (Mine != Old.end() || Theirs != New.Mem.end()) {
      if (Theirs == New.Mem.end() ||
          (Mine != Old.end() && Mine->Key < Theirs->Key)) {
        Join(Mine->Key, &Mine->Data, nullptr);
        ++Mine;
      } else if (Mine == Old.end() || Theirs->Key < Mine->Key) {
        Join(Theirs->Key, nullptr, &Theirs->Data);
        ++Theirs;
      } else {
        if (Mine->Data != Theirs->Data)
          Join(Mine->Key, &Mine->Data, &Theirs->Data);
        ++Mine;
        ++Theirs;
      }
    }
  }
  for (auto [Mine, Theirs] :
       {std::pair(&Into.Facts, &New.Facts), std::pair(&Into.Equal, &New.Equal)})
    if (!(*Mine == *Theirs))
      Mine->eraseIf([&, Theirs = Theirs](const FactMap::Item &I) {
        const unsigned *Other = Theirs->lookup(I.Key);
        bool Gone = !Other || *Other != I.Data;
        Changed |= Gone;
        return Gone;
      });
  auto JoinMembers = [&](FactMap &Mine, const FactMap &Theirs) {
    auto Maybe = static_cast<unsigned>(Membership::MaybeJoined);
    FactMap Old = Mine;
    for (auto It = Old.begin(); It != Old.end(); ++It)
      if (It->getData() != Maybe && !Theirs.contains(It->getKey())) {
        Mine.set(It->getKey(), Maybe);
        Changed = true;
      }
    for (auto It = Theirs.begin(); It != Theirs.end(); ++It)
      if (!Old.contains(It->getKey())) {
        Mine.set(It->getKey(), Maybe);
        Changed = true;
      }
  };
  if (!(Into.Streams == New.Streams))
    JoinMembers(Into.Streams, New.Streams);
  if (!(Into.Events == New.Events))
    JoinMembers(Into.Events, New.Events);
  return Changed;
}

/// True for a block that leaves the function with a failure: by what it
/// returns, or because all it does before is to print.
bool Engine::isErrorExit(const Block &B) {
  if (B.EarlyExit || !B.EarlyReturn)
    return B.EarlyExit;
  auto [It, New] = ErrorExits.try_emplace(&B, false);
  if (!New)
    return It->second;
  bool Talks = false;
  for (const Op &O : B.Ops) {
    if (O.Kind != OpKind::Call || O.Callee == None)
      continue;
    const FunctionInfo &Info = Table.info(O.Callee);
    const catalogue::Entry *E = Relevance::entryFor(Info, Catalogue);
    if (E && E->Does != Effect::HostIO && E->Does != Effect::Neutral)
      return false;
    Talks |= E && E->Does == Effect::HostIO;
  }
  return It->second = Talks;
}

/// True if every path from block \p From that does not fail passes \p To.
bool Engine::mustReach(const FlowGraph *G, unsigned From, unsigned To) {
  if (From == To)
    return true;
  unsigned N = G->Blocks.size();
  if (N > MaxPostDomBlocks)
    return false;
  auto [It, New] = PostDom.try_emplace(G);
  std::vector<std::vector<bool>> &Sets = It->second;
  if (New) {
    Sets.assign(N, std::vector<bool>(N, true));
    Sets[G->Exit].assign(N, false);
    Sets[G->Exit][G->Exit] = true;
    bool Changed = true;
    while (Changed) {
      Changed = false;
      for (unsigned B = N; B-- > 0;) {
        if (B == G->Exit)
          continue;
        std::vector<bool> Meet(N, true);
        bool Any = false;
        for (const Edge &E : G->Blocks[B].Succs) {
          const Block &Next = G->Blocks[E.To];
          if (E.Failure || Next.NeverReturns || isErrorExit(Next))
            continue;
          Any = true;
          for (unsigned I = 0; I < N; ++I)
            if (!Sets[E.To][I])
              Meet[I] = false;
        }
        if (!Any)
          for (unsigned I = 0; I < N; ++I)
            Meet[I] = false;
        Meet[B] = true;
        if (Meet != Sets[B]) {
          Sets[B] = std::move(Meet);
          Changed = true;
        }
      }
    }
  }
  return Sets[From][To];
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
        addEnd(S.Active[I], O.Range);
        S.Active.erase(S.Active.begin() + I);
        break;
      }
    return {std::move(S)};
  case OpKind::Call:
    return call(F, O, std::move(S));
  }
  return {};
}

void Engine::assign(State &S, LocId L, ValueId V) {
  const LocNode &N = D.at(L);
  if (N.Kind == LocKind::Elem && N.B == None) {
    // Some element: what was there may remain.
    const ValueId *Old = S.Mem.lookup(L);
    if (Old && *Old != V) {
      ValueId Phi = D.value(ValueKind::Phi, -1, L);
      D.addCandidate(Phi, *Old);
      D.addCandidate(Phi, V);
      V = Phi;
    }
  } else {
    // A whole object: its members are what the new value says.
    ValueKind K = D[V].Kind;
    if (K == ValueKind::CopyOf || K == ValueKind::Init ||
        (K == ValueKind::Op && D.text(D[V].S) == "aggregate"))
      S.Mem.eraseIf([&](const Memory::Item &I) {
        LocId P = I.Key;
        while (P != L && (D.at(P).Kind == LocKind::Field ||
                          D.at(P).Kind == LocKind::Elem))
          P = D.at(P).A;
        return P == L && I.Key != L;
      });
  }
  if (D[V].Kind == ValueKind::CopyOf) {
    if (D[V].A == L)
      return;
    copyMembers(S, D[V].A, L);
  }
  S.Mem.set(L, V);
}

/// Copies what is known of the parts of \p From to the parts of \p To.
void Engine::copyMembers(State &S, LocId From, LocId To) {
  std::vector<std::pair<LocId, ValueId>> Copies;
  for (const Memory::Item &I : S.Mem) {
    llvm::SmallVector<LocId, 4> Path;
    LocId P = I.Key;
    while (P != From &&
           (D.at(P).Kind == LocKind::Field || D.at(P).Kind == LocKind::Elem)) {
      Path.push_back(P);
      P = D.at(P).A;
    }
    if (P != From || Path.empty())
      continue;
    LocId At = To;
    for (LocId Part : llvm::reverse(Path)) {
      LocNode N = D.at(Part);
      At = D.loc(N.Kind, N.N, At, N.B, D.text(N.S));
    }
    Copies.push_back({At, I.Data});
  }
  for (auto [L, V] : Copies)
    S.Mem.set(L, V);
}

/// True if the object at \p L exists before and after the region and is not
/// merely passed through: a global, or the object that captures. Allocators,
/// caches and iterators deeper down keep their own books.
bool Engine::isRegionState(const Frame &F, const State &S, LocId L) {
  LocId Root = D.root(L);
  if (D.at(Root).Kind == LocKind::Global)
    return true;
  const CaptureRecord &Record = Result.Captures[S.Active.back()];
  auto Owns = [&](ValueId Origin) {
    return D[Origin].Kind == ValueKind::Init && D.root(D[Origin].A) == Root &&
           D[Origin].A != Root;
  };
  if (Owns(Record.Origin))
    return true;
  for (const Memory::Item &I : S.Mem)
    if (I.Data == Record.Origin && I.Key != Root && D.root(I.Key) == Root)
      return true;
  for (const Frame *A = &F; A; A = A->Parent)
    if (A->Function == Record.Home)
      return A->This != None && D.root(D.pointee(A->This)) == Root;
  return false;
}

/// Records changes to host state that outlives the region. Local variables and
/// objects made on the way are bookkeeping.
void Engine::noteWrite(Frame &F, const Op &O, const State &S, LocId L) {
  if (S.Active.empty() || S.Failing || O.Kind != OpKind::Modify || O.Implicit)
    return;
  const LocNode &Root = D.at(D.root(L));
  bool Member = D.at(L).Kind == LocKind::Field;
  bool Outlives =
      Root.Kind == LocKind::Global ||
      (Member && (Root.Kind == LocKind::Pointee || Root.Kind == LocKind::Var ||
                  Root.Kind == LocKind::Temp));
  if (!Outlives || D.at(L).Kind == LocKind::Elem)
    return;
  bool Sure = isRegionState(F, S, L);
  if (!Sure && Root.Kind != LocKind::Pointee)
    return; // a local object's own business
  Fact Result = factAt(F, O, S, S.Active.back());
  Result.Kind = FactKind::HostWrite;
  llvm::StringRef Name = D.text(D.at(L).S);
  Result.What = Name.substr(Name.rfind(':') + 1).str();
  // Far from the region, a counter is somebody else's business.
  Sure &= Result.Chain.size() <= 2;
  Result.Sure =
      std::min(Result.Sure, Sure ? Confidence::Likely : Confidence::Possible);
  record(std::move(Result));
}

/// True if every path from the start of capture \p C passes the current block;
/// fills \p Chain with the calls between, outermost first.
bool Engine::isFirm(const Frame &F, CaptureId C,
                    std::vector<ChainStep> *Chain) {
  const CaptureRecord &Record = Result.Captures[C];
  bool Firm = true;
  unsigned Block = F.Block;
  for (const Frame *A = &F; A; A = A->Parent) {
    bool Home = A->Function == Record.Home;
    if (Firm)
      Firm = !A->Uncertain &&
             mustReach(A->Graph, Home ? Record.HomeBlock : 0, Block);
    if (Home || !A->Parent)
      break;
    if (Chain)
      Chain->push_back({A->CallSite->Range, A->Parent->Function, A->Function});
    else if (!Firm)
      break;
    Block = A->CallBlock;
  }
  if (Chain)
    std::reverse(Chain->begin(), Chain->end());
  return Firm;
}

Fact Engine::factAt(Frame &F, const Op &O, const State &S, CaptureId C) {
  Fact R;
  R.Function = F.Function;
  R.Capture = C;
  R.Range = O.Range;
  R.Name = O.Name;
  R.CloseParen = O.CloseParen;
  for (const CallArg &A : O.Args)
    if (A.Range.Begin)
      R.Args.push_back(A.Range);
  bool Firm = isFirm(F, C, &R.Chain);
  R.Sure = S.Failing ? Confidence::Possible
           : Firm    ? Confidence::Certain
                     : Confidence::Likely;
  R.Allowed = O.Allowed;
  R.Once = O.Once;
  for (const Frame *A = &F; A; A = A->Parent) {
    R.Once |= A->CallSite && A->CallSite->Once;
    R.Allowed |= Table.info(A->Function).Allowed ||
                 (A->CallSite && A->CallSite->Allowed);
  }
  // Of several captures, the strictest forbids.
  R.Mode = Result.Captures[C].Mode;
  for (CaptureId Each : S.Active)
    if (std::optional<catalogue::Mode> M = Result.Captures[Each].Mode;
        M && R.Mode)
      R.Mode = std::min(*R.Mode, *M);
  if (S.ThreadMode >= 0) {
    auto Thread = static_cast<catalogue::Mode>(S.ThreadMode);
    if (R.Mode)
      R.Mode = std::max(*R.Mode, Thread);
    else if (Thread == catalogue::Mode::Relaxed)
      R.Mode = Thread;
  }
  return R;
}

void Engine::record(Fact F) {
  if (F.Allowed || Steps > MaxSteps)
    return;
  // Once paths have been left out, ends of captures may have been missed.
  if (Result.BudgetExceeded)
    F.Sure = Confidence::Possible;
  // Of the branches on one value, the first says it all.
  unsigned Place = F.Kind == FactKind::HostBranch && F.VariesAt.Begin
                       ? F.VariesAt.Begin
                       : F.Range.Begin;
  auto Key = std::tuple(Place, F.Capture, static_cast<unsigned>(F.Kind),
                        F.Callee + F.What);
  auto [It, New] = FactIndex.try_emplace(Key, Result.Facts.size());
  if (New) {
    Result.Facts.push_back(std::move(F));
    return;
  }
  Fact &Old = Result.Facts[It->second];
  if (F.Sure > Old.Sure && F.Range.Begin == Old.Range.Begin)
    Old = std::move(F);
}

} // namespace cudagraph
