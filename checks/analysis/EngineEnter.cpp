//===- EngineEnter.cpp - One walk of a callee for many calls --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call hands the callee the part of the state that it can observe: what its
// arguments reach, globals, and the objects nobody here created. Two calls that
// agree on that share one walk; the more often a callee is walked, the less of
// a call is told apart, and beyond a bound it is not walked any more.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

namespace cudagraph {

/// The entries of memory that code holding \p Roots can see.
std::vector<std::pair<LocId, ValueId>>
Engine::reachable(const State &S, llvm::ArrayRef<ValueId> Roots) {
  llvm::SmallDenseSet<LocId, 16> Open;
  D.forgetCollected();
  auto Follow = [&](ValueId V) {
    D.storageIn(V, [&](LocId Root) { Open.insert(Root); });
  };
  for (ValueId V : Roots)
    Follow(V);
  std::vector<std::pair<LocId, ValueId>> Result;
  // Entries that nothing leads to so far.
  std::vector<Memory::Item> Rest;
  for (const Memory::Item &I : S.Mem) {
    LocKind K = D.at(D.root(I.Key)).Kind;
    if (K == LocKind::Global || K == LocKind::Pointee) {
      Result.push_back({I.Key, I.Data});
      Follow(I.Data);
    } else {
      Rest.push_back(I);
    }
  }
  for (size_t Before = None; Before != Rest.size() && !Open.empty();) {
    Before = Rest.size();
    std::erase_if(Rest, [&](const Memory::Item &I) {
      if (!Open.count(D.root(I.Key)))
        return false;
      Result.push_back({I.Key, I.Data});
      Follow(I.Data);
      return true;
    });
  }
  llvm::sort(Result);
  return Result;
}

/// Streams and events that the callee created are new with each call: names
/// them after this call, so that two calls of a factory give two streams.
void Engine::freshStreams(const Frame &F, const Op &O, const State &Before,
                          llvm::ArrayRef<ValueId> Roots, State &After,
                          ValueId &Returned) {
  llvm::SmallDenseSet<ValueId, 8> Old(Roots.begin(), Roots.end());
  llvm::SmallDenseMap<ValueId, ValueId, 8> Names;
  bool Collected = false;
  auto Rename = [&](ValueId V) {
    const ValueNode N = D[V];
    if ((N.Kind != ValueKind::Stream && N.Kind != ValueKind::Event) ||
        O.ResultIndex == None) // handles carry members: they keep their name
      return V;
    if (!Collected) {
      for (const Memory::Item &I : Before.Mem)
        Old.insert(I.Data);
      Collected = true;
    }
    if (Old.count(V))
      return V;
    for (CaptureId C : After.Active)
      if (Result.Captures[C].Origin == V)
        return V; // it captures already: keep its name
    int64_t Site = Domain::site(F.Function, O.ResultIndex, 14);
    ValueId Fresh = D.value(
        N.Kind, static_cast<int64_t>(static_cast<uint64_t>(N.N) * 31 + Site),
        N.A, N.B);
    Names.try_emplace(V, Fresh);
    return Fresh;
  };
  Returned = Rename(Returned);
  std::vector<std::pair<LocId, ValueId>> Renamed;
  for (const Memory::Item &I : After.Mem)
    if (D[I.Data].Kind == ValueKind::Stream ||
        D[I.Data].Kind == ValueKind::Event)
      if (ValueId V = Rename(I.Data); V != I.Data)
        Renamed.push_back({I.Key, V});
  for (auto [L, V] : Renamed)
    After.Mem.set(L, V);
  if (Names.empty())
    return;
  auto Named = [&](ValueId V) {
    auto It = Names.find(V);
    return It == Names.end() ? V : It->second;
  };
  for (FactMap *M : {&After.Streams, &After.Events})
    for (const FactMap::Item &I : FactMap(*M))
      if (ValueId V = Named(I.Key); V != I.Key) {
        M->erase(I.Key);
        M->set(V, I.Data);
      }
  for (const FactMap::Item &I : FactMap(After.Lags)) {
    ValueId Key = lagKey(Named(D[I.Key].A), Named(D[I.Key].B));
    if (Key == I.Key)
      continue;
    After.Lags.erase(I.Key);
    After.Lags.set(Key, I.Data);
  }
}

/// Removes what \p Callee cannot be interested in: members and globals that it
/// and its callees never mention, and sums that only count. Without this,
/// hardly any two calls would share a walk.
void Engine::dropUnread(FunctionId Callee, llvm::ArrayRef<ValueId> Roots,
                        const State &S,
                        std::vector<std::pair<LocId, ValueId>> &Visible) {
  uint16_t Bits = Rel.bits(Callee);
  bool Anything = Bits & Relevance::Unknown;
  for (ValueId V : Roots) {
    ValueId Held = V;
    if (D[V].Kind == ValueKind::Addr)
      if (std::optional<unsigned> In = S.Mem.lookup(D[V].A))
        Held = *In;
    Anything |= D[Held].Kind == ValueKind::Closure ||
                D[Held].Kind == ValueKind::Function;
  }
  llvm::erase_if(Visible, [&](const std::pair<LocId, ValueId> &Entry) {
    LocId L = Entry.first;
    while (D.at(L).Kind == LocKind::Elem)
      L = D.at(L).A;
    const LocNode N = D.at(L);
    if (N.Kind != LocKind::Field && N.Kind != LocKind::Global)
      return false;
    LocKind Root = D.at(D.root(L)).Kind;
    if ((Root == LocKind::Global || Root == LocKind::Pointee) &&
        D[Entry.second].Kind == ValueKind::Op && !D.isMeasured(Entry.second))
      return true;
    llvm::StringRef Name = D.text(N.S);
    if (Name == "dynamic class")
      return !Anything && !(Bits & Relevance::Virtual);
    // The engine's own names contain spaces.
    return !Anything && !Name.contains(' ') && !Rel.mentions(Callee, Name);
  });
}

/// How often \p Callee was walked; counts more once much was walked in all.
unsigned Engine::timesWalked(FunctionId Callee) const {
  auto It = Walks.find(Callee);
  unsigned Times = It == Walks.end() ? 0 : It->second;
  return Steps > ManySteps ? Times * 120 : Times;
}

/// How often \p Callee, and what is like it, was walked; of use once much was
/// walked in all.
unsigned &Engine::walksAlike(FunctionId Callee) {
  if (WalksAlike.empty())
    for (auto [F, Times] : Walks)
      WalksAlike[Rel.likeness(F)] += Times;
  return WalksAlike[Rel.likeness(Callee)];
}

/// The more often a callee is walked, the less of a call is told apart: first
/// the numbers it is given, then what memory holds besides streams, objects and
/// callables.
void Engine::generalise(FunctionId Callee, const FlowGraph &G, const State &S,
                        llvm::SmallVectorImpl<ValueId> &Args, ValueId &This,
                        std::vector<std::pair<LocId, ValueId>> &Visible) {
  unsigned Times = timesWalked(Callee);
  if (Times < ManyWalks)
    return;
  // What leads to a stream or event that takes part must stay recognisable: it
  // itself, and the pointers on the way to it.
  llvm::SmallDenseSet<ValueId, 16> Leading;
  auto Climb = [&](LocId L) {
    for (unsigned Guard = 0; Guard < 32; ++Guard) {
      const LocNode Root = D.at(D.root(L));
      if (Root.Kind != LocKind::Pointee || !Leading.insert(Root.A).second ||
          D[Root.A].Kind != ValueKind::Init)
        return;
      L = D[Root.A].A;
    }
  };
  llvm::SmallDenseSet<ValueId, 8> Taking;
  auto Take = [&](ValueId V) {
    D.visitTree(V, [&](ValueId Part) {
      ValueKind K = D[Part].Kind;
      if (K != ValueKind::Init && K != ValueKind::Stream &&
          K != ValueKind::Event && K != ValueKind::Phi && Part != V)
        return;
      if (Taking.insert(Part).second && K == ValueKind::Init)
        Climb(D[Part].A);
    });
  };
  for (const FactMap *M : {&S.Streams, &S.Events})
    for (const FactMap::Item &I : *M)
      Take(I.Key);
  for (CaptureId C : S.Active)
    Take(Result.Captures[C].Origin);
  for (auto [L, V] : Visible)
    if (Taking.count(V))
      Climb(L);
  auto Matters = [&](ValueId V) {
    if (Taking.count(V) || Leading.count(V))
      return true;
    return llvm::any_of(D.candidates(V), [&](ValueId C) {
      return Taking.count(C) || Leading.count(C);
    });
  };
  // The stream and the pointer mode of a library handle.
  auto OfHandle = [&](LocId L) {
    LocId Root = D.root(L);
    return D.at(Root).Kind == LocKind::Pointee &&
           D[D.at(Root).A].Kind == ValueKind::Handle;
  };
  // In the end even objects are alike, unless they hold such a stream or a
  // callable.
  auto Holds = [&](ValueId Address) {
    LocId Root = D.root(D[Address].A);
    return llvm::any_of(Visible, [&](const std::pair<LocId, ValueId> &Entry) {
      ValueKind K = D[Entry.second].Kind;
      return D.root(Entry.first) == Root &&
             (K == ValueKind::Closure || K == ValueKind::Function ||
              K == ValueKind::Stream || K == ValueKind::Event ||
              K == ValueKind::Handle || Matters(Entry.second));
    });
  };
  auto Alike = [&](ValueId V) {
    switch (D[V].Kind) {
    case ValueKind::Int:
    case ValueKind::Op:
    case ValueKind::Opaque:
    case ValueKind::Status:
      return !Matters(V);
    case ValueKind::Function: // which kernel it is makes no difference
      return Table.info(D[V].N).IsKernel;
    case ValueKind::Init:
    case ValueKind::Phi:
      return Times >= VeryManyWalks && !Matters(V);
    case ValueKind::Addr:
      return Times >= HugeWalks && !Holds(V);
    default:
      return false;
    }
  };
  for (unsigned I = 0; I < Args.size() && I < G.NumParams; ++I)
    if (!G.Vars[I].IsStream && Alike(Args[I]))
      Args[I] = D.opaque(Domain::site(Callee, I, 10));
  if (This != None && Times >= VeryManyWalks && Alike(This))
    This = D.opaque(Domain::site(Callee, 0, 6));
  if (Times < VeryManyWalks)
    return;
  llvm::erase_if(Visible, [&](const std::pair<LocId, ValueId> &Entry) {
    ValueKind K = D[Entry.second].Kind;
    // What a callee does to a stream or a handle must not be lost.
    if (K == ValueKind::Stream || K == ValueKind::Event ||
        K == ValueKind::Handle)
      return false;
    // Nor that an initialiser has run.
    if (llvm::StringRef Name = D.text(D.at(Entry.first).S);
        Name.ends_with(OnceSuffix) || Name == "called once")
      return false;
    if (Times >= HugeWalks && K != ValueKind::Closure)
      return !Matters(Entry.second) && !OfHandle(Entry.first);
    if (OfHandle(Entry.first))
      return false;
    bool Number = K == ValueKind::Int || K == ValueKind::Op ||
                  K == ValueKind::Opaque || K == ValueKind::Status ||
                  K == ValueKind::Phi || K == ValueKind::Init;
    return Number && !Matters(Entry.second) && !D.isMeasured(Entry.second);
  });
}

/// True if the function of \p Innermost is walked for a call from itself again
/// and again: each time with other arguments, or the calls would be one. What
/// it does has been seen.
bool Engine::isDeepRecursion(const Frame &Innermost) const {
  if (Innermost.Depth < ManyFrames)
    return false;
  unsigned Times = 0;
  for (const Frame *A = Innermost.Parent; A; A = A->Parent)
    Times += A->Function == Innermost.Function;
  return Times >= EnoughRecursion;
}

/// True if the function of \p Innermost opens captures, and was walked often
/// for calls from itself or from functions that call it, in ever new states:
/// the captures of all these calls may be active in any order.
bool Engine::isDeepCapturing(const Frame &Innermost) const {
  FunctionId F = Innermost.Function;
  const Components &Recursion = Rel.components();
  if (!Recursion.isRecursive(F) || !(Rel.bits(F) & Relevance::Opens))
    return false;
  auto It = Walks.find(F);
  if (It == Walks.end() || It->second < EnoughCaptureWalks)
    return false;
  unsigned Times = 0;
  for (const Frame *A = Innermost.Parent; A && Times < EnoughRecursion;
       A = A->Parent)
    Times += Recursion.of(A->Function) == Recursion.of(F);
  return Times >= EnoughRecursion;
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
    R.Timeline.clear();
    if (R.Root == RootKind::ApiPair || R.Root == RootKind::Libtorch)
      R.Root = RootKind::Wrapper;
    CaptureId Outer = intern(std::move(R));
    Result.Superseded.push_back({C, Outer});
    inherit(C, Outer);
    for (const FactMap::Item &I : FactMap(After.Streams))
      if (Member M = Member::decode(I.Data); M.Capture == C) {
        M.Capture = Outer;
        After.Streams.set(I.Key, M.encode());
      }
    for (const FactMap::Item &I : FactMap(After.Events))
      if (Recorded At = Recorded::decode(I.Data); At.Capture == C) {
        At.Capture = Outer;
        After.Events.set(I.Key, At.encode());
      }
    if (std::optional<unsigned> Broken = After.Broken.lookup(C)) {
      After.Broken.set(Outer, *Broken);
      After.Broken.erase(C);
    }
    C = Outer;
  }
}

Engine::States Engine::enter(Frame &F, const Op &O, State S, FunctionId Callee,
                             ValueId This, llvm::ArrayRef<ValueId> Args,
                             bool Uncertain, ValueId *Returned) {
  const FlowGraph *G = Table.graph(Callee);
  Result.Visited.insert(Callee);
  Frame Inner;
  Inner.Function = Callee;
  Inner.Graph = G;
  Inner.Parent = &F;
  Inner.CallSite = &O;
  Inner.CallBlock = F.Block;
  Inner.This = This;
  Inner.Depth = F.Depth + 1;
  Inner.Uncertain = Uncertain;
  Inner.Allowed = F.Allowed || O.Allowed || Table.info(Callee).Allowed;
  Inner.Once = F.Once || O.Once;

  llvm::SmallVector<ValueId, 8> Roots(Args.begin(), Args.end());
  if (This != None)
    Roots.push_back(This);
  auto Visible = reachable(S, Roots);
  dropUnread(Callee, Roots, S, Visible);
  llvm::SmallVector<ValueId, 8> Passed(Args.begin(), Args.end());
  generalise(Callee, *G, S, Passed, This, Visible);
  Inner.This = This;
  Args = Passed;
  Inner.Params.assign(
      Args.begin(), Args.begin() + std::min<size_t>(Args.size(), G->NumParams));

  // The key: everything the walk of the callee depends on.
  std::vector<unsigned> Key{Callee, This, static_cast<unsigned>(S.ThreadMode),
                            S.Failing + 2u * S.OtherThread +
                                4u * S.ForeignCaptures + 8u * S.InCallback +
                                16u * S.Unparsed,
                            G->NumParams};
  bool Soft = false;
  if (!S.Active.empty()) {
    Soft = !isFirm(F, S.Active.back(), nullptr) || Uncertain;
    Key.push_back(Soft);
    Key.push_back(Inner.Allowed);
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
  bool Told = timesWalked(Callee) < VeryManyWalks;
  if (Told && (!S.Facts.empty() || !S.Equal.empty())) {
    for (ValueId A : Roots)
      D.visitTree(A, [&](ValueId Part) { ArgParts.insert(Part); });
    for (auto [L, V] : Visible)
      ArgParts.insert(V);
  }
  FactMap Facts, Equal;
  for (auto [From, To] :
       {std::pair(&S.Facts, &Facts), std::pair(&S.Equal, &Equal)}) {
    for (const FactMap::Item &I : *From) {
      if (!Told)
        break;
      bool Keep = ArgParts.count(I.Key);
      const ValueNode N = D[I.Key];
      if (N.Kind == ValueKind::Init) {
        LocKind K = D.at(D.root(N.A)).Kind;
        Keep |= K == LocKind::Global || K == LocKind::Pointee;
      }
      if (!Keep)
        continue;
      To->set(I.Key, I.Data);
      Key.push_back(I.Key);
      Key.push_back(I.Data);
    }
    Key.push_back(None);
  }
  // Recursion over streams makes ever new ones: who waits for whom is given up.
  bool WithLags = timesWalked(Callee) < ManyWalks;
  const FactMap Lags = WithLags ? S.Lags : FactMap();
  for (const FactMap *M : std::initializer_list<const FactMap *>{
           &S.Streams, &S.Events, &Lags, &S.Broken, &S.Threads, &S.Gone}) {
    for (auto It = M->begin(); It != M->end(); ++It) {
      Key.push_back(It->getKey());
      Key.push_back(It->getData());
    }
    Key.push_back(None);
  }

  auto [Low, High] = llvm::xxh3_128bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(Key.data()),
                     Key.size() * sizeof(unsigned)));
  std::pair<uint64_t, uint64_t> Digest{Low, High};
  auto Found = Memo.find(Digest);
  if (Found == Memo.end()) {
    bool Small = G->Blocks.size() <= SmallGraph;
    bool Cut = F.Depth > MaxDepth || isDeepCapturing(Inner) ||
               Walks[Callee] > (Small ? 20 * TooManyWalks : TooManyWalks);
    Result.BudgetExceeded |= Cut;
    if (Cut || isDeepRecursion(Inner) || !InProgress.insert(Digest).second) {
      if (Returned)
        *Returned = D.opaque(Domain::site(Callee, 0, 8));
      // What is not walked may have ended the capture: claim nothing after it.
      if (Cut)
        passUnparsed(S, Callee);
      if (Cut && (Rel.bits(Callee) & (Relevance::Ends | Relevance::Unknown)))
        S.Active.clear();
      // It may have set the streams of handles, and recorded events.
      if (Cut)
        for (auto [L, V] : Visible) {
          if (D[V].Kind == ValueKind::Handle)
            assign(S, handleStream(D, V),
                   D.opaque(Domain::site(Callee, 0, 15)));
          S.Events.erase(V);
        }
      setResult(F, O, S, D.opaque(Domain::site(Callee, 0, 8)));
      return {std::move(S)};
    }
    if (Steps > ManySteps)
      ++walksAlike(Callee);
    ++Walks[Callee];
    Result.Work += WalkCost;
    State Entry = freshState();
    Entry.Active = S.Active;
    Entry.ThreadMode = S.ThreadMode;
    Entry.Failing = S.Failing;
    Entry.Unparsed = S.Unparsed;
    Entry.Facts = Facts;
    Entry.Equal = Equal;
    Entry.Streams = S.Streams;
    Entry.Events = S.Events;
    Entry.Lags = Lags;
    Entry.Broken = S.Broken;
    Entry.Threads = S.Threads;
    Entry.Gone = S.Gone;
    Entry.InCallback = S.InCallback;
    Entry.OtherThread = S.OtherThread;
    Entry.ForeignCaptures = S.ForeignCaptures;
    for (auto [L, V] : Visible)
      Entry.Mem.set(L, V);
    for (unsigned I = 0; I < G->NumParams; ++I)
      Entry.Mem.set(D.loc(LocKind::Var, I, Callee),
                    I < Args.size() ? Args[I]
                                    : D.opaque(Domain::site(Callee, I, 10)));
    Exits Out = walk(Inner, std::move(Entry));
    InProgress.erase(Digest);
    Found = Memo.emplace(Digest, std::move(Out)).first;
  }

  States After;
  for (const Exit &E : Found->second) {
    State R = S;
    R.Active = E.S.Active;
    R.ThreadMode = E.S.ThreadMode;
    R.Failing = S.Failing || E.S.Failing;
    R.Unparsed = E.S.Unparsed;
    R.Streams = E.S.Streams;
    R.Events = E.S.Events;
    if (WithLags)
      R.Lags = E.S.Lags;
    else
      blurLags(R, None);
    R.Broken = E.S.Broken;
    R.Threads = E.S.Threads;
    R.Gone = E.S.Gone;
    R.OtherThread = E.S.OtherThread;
    R.ForeignCaptures = E.S.ForeignCaptures;
    for (auto It = E.S.Facts.begin(); It != E.S.Facts.end(); ++It)
      R.Facts.set(It->getKey(), It->getData());
    for (const FactMap::Item &I : E.S.Equal)
      R.Equal.set(I.Key, I.Data);
    llvm::SmallVector<ValueId, 8> Kept = Roots;
    Kept.push_back(E.Returned);
    if (D[E.Returned].Kind == ValueKind::CopyOf)
      Kept.push_back(
          D.value(ValueKind::Addr, 0, D.loc(LocKind::Return, 0, Callee)));
    std::vector<std::pair<LocId, ValueId>> Left = reachable(E.S, Kept);
    llvm::erase_if(Left, [&](const std::pair<LocId, ValueId> &Entry) {
      const LocNode Root = D.at(D.root(Entry.first));
      return (Root.Kind == LocKind::Var || Root.Kind == LocKind::Result) &&
             Root.A == Callee && Callee != F.Function;
    });
    R.Mem.replace(Visible, Left);
    reroot(F, O, S, R);
    ValueId Value = E.Returned;
    // An object returned by value becomes the caller's.
    LocId Ret = D.loc(LocKind::Return, 0, Callee);
    if (D[Value].Kind == ValueKind::CopyOf && O.ResultIndex != None) {
      LocId Mine = D.loc(LocKind::Result, O.ResultIndex, F.Function);
      R.Mem.eraseIf([&](const Memory::Item &I) {
        return I.Key != Mine && D.root(I.Key) == Mine;
      });
      copyMembers(R, Ret, Mine);
      Value = D.value(ValueKind::CopyOf, 0, Mine);
    }
    R.Mem.eraseIf([&](const Memory::Item &I) { return D.root(I.Key) == Ret; });
    freshStreams(F, O, S, Roots, R, Value);
    setResult(F, O, R, Value);
    if (Returned)
      *Returned = Value;
    After.push_back(std::move(R));
  }
  return After;
}

} // namespace cudagraph
