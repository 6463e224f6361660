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
/// Operations interpreted for one translation unit.
static constexpr uint64_t MaxSteps = 20'000'000;
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

State Engine::freshState() {
  return State(MemFactory.getEmptyMap(), FactFactory.getEmptyMap());
}

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
  while (!Work.empty()) {
    unsigned B = *Work.begin();
    Work.erase(Work.begin());
    if (B == G.Exit)
      continue;
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
      return S.Failing || Result.Captures[C].Root == RootKind::Comment;
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
          mergeInto(*Same, After, Domain::site(F.Function, O.Range.Begin, 4));
      }
    }
    Now = std::move(Next);
  }
  for (State &Each : Now) {
    if (B.EarlyExit)
      Each.Failing = true;
    branch(F, Each, B, In, Work);
  }
}

void Engine::enqueue(FunctionId F, unsigned To, const State &S,
                     std::vector<States> &In, std::set<unsigned> &Work) {
  for (State &Old : In[To])
    if (Old.sameKey(S)) {
      if (mergeInto(Old, S, Domain::site(F, To, 3)))
        Work.insert(To);
      return;
    }
  In[To].push_back(S);
  Work.insert(To);
}

void Engine::branch(Frame &F, State &S, const Block &B, std::vector<States> &In,
                    std::set<unsigned> &Work) {
  if (B.Cond == None) {
    for (const Edge &E : B.Succs)
      enqueue(F.Function, E.To, S, In, Work);
    return;
  }
  ValueId Cond = eval(F, B.Cond, S);
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
  std::optional<int64_t> Number = D.asInt(Cond);
  bool CaseTaken = Number && llvm::any_of(B.Succs, [&](const Edge &E) {
                     return E.When == 3 && E.Case == *Number;
                   });
  for (const Edge &E : B.Succs) {
    State Next = S;
    if (E.When == 3) {
      if (Number && *Number != E.Case)
        continue;
    } else if (E.When == 2) {
      if (CaseTaken)
        continue;
    } else {
      bool Truth = E.When == 1;
      if (Known && *Known != Truth)
        continue;
      assume(Next, Cond, Truth);
    }
    if (E.Failure && !Known)
      Next.Failing = true;
    enqueue(F.Function, E.To, Next, In, Work);
  }
}

/// Joins \p New into \p Into; true if \p Into now allows more.
bool Engine::mergeInto(State &Into, const State &New, int64_t JoinSite) {
  bool Changed = false;
  if (Into.Failing && !New.Failing) {
    Into.Failing = false;
    Changed = true;
  }
  if (Into.Mem != New.Mem) {
    auto Join = [&](LocId L, const ValueId *Old, const ValueId *Other) {
      LocKind Root = D.at(D.root(L)).Kind;
      bool Local = Root == LocKind::Var || Root == LocKind::Temp ||
                   Root == LocKind::Result || Root == LocKind::Return;
      if (!Old || !Other) {
        // A local is not initialised on the other path; anything else still
        // has the contents it had at entry.
        if (Local) {
          if (!Old) {
            Into.Mem = MemFactory.add(Into.Mem, L, *Other);
            Changed = true;
          }
          return;
        }
      }
      ValueId A = Old ? *Old : defaultContents(L);
      ValueId B = Other ? *Other : defaultContents(L);
      if (A == B)
        return;
      ValueId Phi = D.value(ValueKind::Phi, JoinSite, L);
      if (A != Phi) {
        D.addCandidate(Phi, A);
        D.addCandidate(Phi, B);
        Into.Mem = MemFactory.add(Into.Mem, L, Phi);
        Changed = true;
      } else if (D.addCandidate(Phi, B)) {
        Changed = true;
      }
    };
    Memory Old = Into.Mem;
    for (auto It = Old.begin(); It != Old.end(); ++It)
      Join(It.getKey(), &It.getData(), New.Mem.lookup(It.getKey()));
    for (auto It = New.Mem.begin(); It != New.Mem.end(); ++It)
      if (!Old.contains(It.getKey()))
        Join(It.getKey(), nullptr, &It.getData());
  }
  if (Into.Facts != New.Facts) {
    FactMap Old = Into.Facts;
    for (auto It = Old.begin(); It != Old.end(); ++It) {
      const unsigned *Other = New.Facts.lookup(It.getKey());
      if (!Other || *Other != It.getData()) {
        Into.Facts = FactFactory.remove(Into.Facts, It.getKey());
        Changed = true;
      }
    }
  }
  auto JoinMembers = [&](FactMap &Mine, const FactMap &Theirs) {
    auto Maybe = static_cast<unsigned>(Membership::MaybeJoined);
    FactMap Old = Mine;
    for (auto It = Old.begin(); It != Old.end(); ++It)
      if (It.getData() != Maybe && !Theirs.contains(It.getKey())) {
        Mine = FactFactory.add(Mine, It.getKey(), Maybe);
        Changed = true;
      }
    for (auto It = Theirs.begin(); It != Theirs.end(); ++It)
      if (!Old.contains(It.getKey())) {
        Mine = FactFactory.add(Mine, It.getKey(), Maybe);
        Changed = true;
      }
  };
  if (Into.Streams != New.Streams)
    JoinMembers(Into.Streams, New.Streams);
  if (Into.Events != New.Events)
    JoinMembers(Into.Events, New.Events);
  return Changed;
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
          if (E.Failure || Next.NeverReturns || Next.EarlyExit)
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
    noteWrite(F, O, S, L);
    assign(S, L, V);
    return {std::move(S)};
  }
  case OpKind::Return:
    if (O.Value != None)
      S.Mem = MemFactory.add(S.Mem, D.loc(LocKind::Return, 0, F.Function),
                             eval(F, O.Value, S));
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
        Result.Captures[S.Active[I]].Ends.push_back(O.Range);
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
    if (K == ValueKind::CopyOf || K == ValueKind::Op || K == ValueKind::Init) {
      Memory Old = S.Mem;
      for (auto It = Old.begin(); It != Old.end(); ++It) {
        LocId P = It.getKey();
        while (P != L && (D.at(P).Kind == LocKind::Field ||
                          D.at(P).Kind == LocKind::Elem))
          P = D.at(P).A;
        if (P == L && It.getKey() != L)
          S.Mem = MemFactory.remove(S.Mem, It.getKey());
      }
    }
  }
  S.Mem = MemFactory.add(S.Mem, L, V);
}

/// Records changes to host state that outlives the region. Local variables and
/// objects made on the way are bookkeeping.
void Engine::noteWrite(Frame &F, const Op &O, const State &S, LocId L) {
  if (S.Active.empty() || S.Failing || O.Kind != OpKind::Modify || O.Implicit)
    return;
  const LocNode &Root = D.at(D.root(L));
  bool Outlives =
      Root.Kind == LocKind::Global ||
      (Root.Kind == LocKind::Pointee && D[Root.A].Kind == ValueKind::Init);
  if (!Outlives || D.at(L).Kind == LocKind::Elem)
    return;
  Fact Result = factAt(F, O, S, S.Active.back());
  Result.Kind = FactKind::HostWrite;
  llvm::StringRef Name = D.text(D.at(L).S);
  Result.What = Name.substr(Name.rfind(':') + 1).str();
  if (Root.Kind == LocKind::Pointee && D.at(L).Kind == LocKind::Pointee)
    return; // through a plain pointer: whose storage this is is not known
  Result.Sure = std::min(Result.Sure, Confidence::Likely);
  record(std::move(Result));
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
  const CaptureRecord &Record = Result.Captures[C];
  // Up to the frame in which the region starts.
  bool Firm = true, FromHome = false;
  const Op *Site = nullptr;
  unsigned Block = F.Block;
  for (const Frame *A = &F; A; A = A->Parent) {
    FromHome = A->Function == Record.Home;
    Firm &= mustReach(A->Graph, FromHome ? Record.HomeBlock : 0, Block);
    Firm &= !A->Uncertain;
    if (FromHome)
      break;
    Site = A->CallSite;
    if (!A->Parent)
      break;
    R.Chain.push_back({Site->Range, A->Parent->Function, A->Function});
    Block = A->CallBlock;
  }
  std::reverse(R.Chain.begin(), R.Chain.end());
  R.Sure = S.Failing ? Confidence::Possible
           : Firm    ? Confidence::Certain
                     : Confidence::Likely;
  R.Allowed = O.Allowed;
  for (const Frame *A = &F; A; A = A->Parent)
    R.Allowed |= Table.info(A->Function).Allowed ||
                 (A->CallSite && A->CallSite->Allowed);
  R.Mode = Record.Mode;
  if (S.ThreadMode >= 0) {
    auto Thread = static_cast<catalogue::Mode>(S.ThreadMode);
    R.Mode = R.Mode                               ? std::max(*R.Mode, Thread)
             : Thread == catalogue::Mode::Relaxed ? std::optional(Thread)
                                                  : std::nullopt;
  }
  return R;
}

void Engine::record(Fact F) {
  if (F.Allowed)
    return;
  auto Key = std::tuple(F.Range.Begin, F.Capture, static_cast<unsigned>(F.Kind),
                        F.Callee + F.What);
  auto [It, New] = FactIndex.try_emplace(Key, Result.Facts.size());
  if (New) {
    Result.Facts.push_back(std::move(F));
    return;
  }
  Fact &Old = Result.Facts[It->second];
  if (F.Sure > Old.Sure)
    Old = std::move(F);
}

} // namespace cudagraph
