//===- LifetimeModel.cpp - The lifetime of graph memory -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LifetimeModel.h.
//
//===----------------------------------------------------------------------===//

#include "LifetimeModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;
using catalogue::Role;

Model::Then LifetimeModel::apply(Call &C, State &S) {
  switch (C.Api.Does) {
  case Effect::FreePinned:
  case Effect::FreeDevice:
    noteFreed(C.arg("ptr"), /*Ordered=*/false);
    // CUDA refuses it during a capture, unless the mode is relaxed.
    if (S.Active.empty() ||
        Facts.at(C.F, C.O, S, S.Active.back()).Mode == catalogue::Mode::Relaxed)
      freed(C.F, C.O, S, C.arg("ptr"));
    break;
  case Effect::FreeHost:
    freed(C.F, C.O, S, C.arg("ptr"));
    break;
  case Effect::FreeAsync:
    noteFreed(C.arg("ptr"), /*Ordered=*/true);
    if (S.Active.empty())
      freed(C.F, C.O, S, C.arg("ptr"));
    else if (C.arg("ptr") != None) // it becomes a node
      D.visitTree(baseOf(D, C.arg("ptr")), [&](ValueId Part) {
        Allocated.erase(Part);
        MayAllocate.erase(Part);
      });
    break;
  case Effect::CopySync:
  case Effect::CopyAsync:
    copied(C, S);
    break;
  case Effect::AllocPinned:
  case Effect::AllocHost: {
    ValueId Out = C.arg("out");
    bool ByPointer = Out != None;
    if (!ByPointer && C.Api.Does == Effect::AllocPinned)
      break;
    ValueId New = D.value(ValueKind::Memory, C.Site, None,
                          ByPointer ? PinnedMemory : PerhapsNull);
    S.Gone.erase(keyOfValue(New)); // from an earlier iteration
    if (ByPointer)
      store(S, Out, New);
    else
      C.Returned = New;
    break;
  }
  case Effect::AllocDevice:
  case Effect::AllocAsync: {
    std::optional<Member> M =
        C.HasStream ? Streams.memberOf(S, C.Stream, C.PerThread) : std::nullopt;
    if (ValueId Out = C.arg("out"); Out != None) {
      bool Member = M && !M->Maybe, Perhaps = !Member && mayCapture(C, S);
      ValueId New =
          D.value(ValueKind::Memory, C.Site, Member ? M->Capture : None,
                  Perhaps                   ? PerhapsOfGraph
                  : C.arg("shared") != None ? SharedMemory
                                            : None);
      New = nameMade(C.F, New);
      S.Gone.erase(keyOfValue(New)); // from an earlier iteration
      noteMade(C.F, New, Out);
      store(S, Out, New);
      if ((Member || Perhaps) && !S.OtherThread && !S.Failing)
        (Member ? Allocated : MayAllocate)
            .try_emplace(New, factOf(Use, C, S, captureOf(Use, C, S)));
    }
    break;
  }
  default:
    break;
  }
  return Then::Follow;
}

void LifetimeModel::after(Call &C, State &S) {
  if (C.Api.Does == Effect::GraphInstantiate)
    noteFreesItself(C, S);
  if (C.Api.Does == Effect::GraphLaunch)
    noteLaunch(C, S);
  if (C.Api.has(catalogue::Trait::Host))
    for (ValueId V : C.Args)
      escapes(S, V);
  if (ValueId Container = C.arg("storage"); Container != None)
    moved(C.F, C.O, S, Container);
  ValueId Filled = C.arg("adds");
  if (Filled == None)
    Filled = C.arg("storage");
  if (Filled != None && D[Filled].Kind == ValueKind::Addr)
    addedTo(C, S, D[Filled].A);
  ValueId Emptied = C.arg("removes");
  if (Emptied == None && Filled == None && C.Api.has(catalogue::Trait::Table))
    Emptied = C.arg("dst");
  if (Emptied != None && D[Emptied].Kind == ValueKind::Addr)
    takenOut(C, S, D[Emptied].A);
  if (C.Api.has(catalogue::Trait::Table))
    returned(C.F, C.O, S, Lent.returnedBy(C, S));
  if (ValueId Container = C.arg("room");
      Container != None && D[Container].Kind == ValueKind::Addr)
    S.Mem.set(D.slotOf(Slot::Room, D[Container].A), D.integer(1));
  if (C.Api.has(catalogue::Trait::Destroys))
    if (ValueId G = held(S, C.arg("graph")); G != None && !D.asInt(G))
      S.Gone.set(keyOfValue(G), 0);
}

void LifetimeModel::noteGone(const Frame &F, State &S, unsigned Key, Span Where,
                             Ending How, ValueId Freed, LocId Pool) {
  Departure End = {Where, F.Function, How};
  End.Pool = Pool;
  // A function that frees its parameter does what its caller requests.
  const Frame *In = &F;
  for (; Freed != None && In->Parent && In->CallSite &&
         llvm::is_contained(In->Params, Freed);
       In = In->Parent)
    End.By = In->CallSite->Implicit ? Span() : In->CallSite->Range;
  End.ByIn = In->Function;
  for (const Frame *A = &F; A; A = A->Parent)
    End.Under.push_back(A->Function);
  auto [It, New] = DepartureIds.try_emplace(
      {{Where.Begin, End.By.Begin, static_cast<unsigned>(How)}, End.Under},
      Nodes.Departures.size());
  if (New)
    Nodes.Departures.push_back(std::move(End));
  S.Gone.set(Key, It->second << 1);
}

void dangles(Services &Use, const NodeTable &Nodes, const Retained &K,
             const State &S, unsigned Departed, bool Capturing, bool Launched) {
  if (S.Failing || Departed >> 1 >= Nodes.Departures.size() ||
      (K.Root != None && Nodes.Owned.contains(keyOfObject(K.Root))) ||
      Nodes.Owned.contains(keyOfValue(K.Value)))
    return;
  const Departure &End = Nodes.Departures[Departed >> 1];
  // It is unknown to which of several graphs this refers.
  if (Launched && llvm::any_of(Nodes.Several, [&](const auto &Each) {
        return Use.W.sameCapture(Each.first, K.Capture) &&
               !endsWithItsCapture(Nodes, End, Each.first, Each.second);
      }))
    return;
  // The function also sets the version that makes the program capture again.
  if (End.How == Ending::Freed &&
      Use.W.Rel.bits(End.ByIn) & (Relevance::SetsRecord | Relevance::SetsKey))
    return;
  if (End.How == Ending::Recycled &&
      !isAffected(Use.W, Nodes, K, Launched && S.Lent.contains(End.Pool)))
    return;
  Fact R = K.At;
  auto &Memory = R.become<FactKind::Dangles>();
  R.Unparsed = std::max(R.Unparsed, S.Unparsed);
  Memory.Use = K.Use;
  Memory.How = End.How;
  Memory.Object = K.Text;
  Memory.Where = End.Where;
  Memory.In = End.In;
  Memory.By = End.By;
  Memory.ByIn = End.ByIn;
  if (K.Root != None)
    if (std::string Name = Use.W.nameOf(K.Holder != None ? K.Holder : K.Root);
        !Name.empty())
      Memory.Object = Name;
  std::optional<LocNode> Root;
  if (K.Root != None)
    Root = Use.W.D.at(K.Root);
  if (Root && Root->Kind == LocKind::Var)
    if (const FlowGraph *G = Use.W.Table.graph(Root->A)) {
      Memory.IsParam = static_cast<unsigned>(Root->N) < G->NumParams;
      Memory.OwnsElements = G->Vars[Root->N].OwnsElements || K.Rebinds;
      Memory.StaticFix = G->Vars[Root->N].Constant;
    }
  if (!Capturing && !Launched)
    R.restOn(Evidence::NoLaunchSeen);
  if (Departed & 1)
    R.restOn(Evidence::EndsOnSomePaths);
  if (End.OfAny)
    R.restOn(Evidence::OneOfSeveral);
  if (End.How == Ending::Moved)
    R.restOn(Evidence::MovedElements);
  if (End.How == Ending::Recycled)
    R.restOn(Evidence::RecycledMemory);
  Use.Facts.record(std::move(R));
}

void LifetimeModel::endLife(Frame &F, State &S, LocId Var, Span Where) {
  auto It = Nodes.In.find(Var);
  if (It == Nodes.In.end() || S.OtherThread || S.InCallback)
    return;
  bool Temporary = D.at(Var).Kind == LocKind::Temp;
  noteGone(F, S, keyOfObject(Var), Where,
           Temporary ? Ending::Statement : Ending::Scope);
  unsigned Departed = *S.Gone.lookup(keyOfObject(Var));
  for (unsigned I : It->second)
    for (CaptureId C : S.Active)
      if (W.sameCapture(C, Nodes.Arguments[I].Capture) &&
          !handedOn(F, S, Var, Nodes.Arguments[I].Within))
        dangles(Use, Nodes, Nodes.Arguments[I], S, Departed, /*Capturing=*/true,
                false);
}

/// Records the end of temporaries without a destructor: they have ended
/// earlier, unless a reference extends their lifetime.
void LifetimeModel::endTemporaries(const Frame &F, State &S) {
  auto IsHeld = [&](LocId Temporary) {
    return llvm::any_of(S.Mem, [&](const Memory::Item &I) {
      return D.at(I.Key).Kind == LocKind::Var &&
             D[I.Data].Kind == ValueKind::Addr &&
             D.root(D[I.Data].A) == Temporary;
    });
  };
  auto Mine = Nodes.EndingIn.find(F.Function);
  if (Mine == Nodes.EndingIn.end() || S.OtherThread || S.InCallback)
    return;
  for (LocId L : Mine->second)
    if (D.at(L).Kind == LocKind::Temp && !S.Gone.contains(keyOfObject(L)) &&
        !IsHeld(L))
      for (unsigned I : Nodes.In[L])
        if (llvm::none_of(S.Active, [&](CaptureId C) {
              return W.sameCapture(Nodes.Arguments[I].Capture, C);
            }))
          noteGone(F, S, keyOfObject(L), Nodes.Arguments[I].At.Range,
                   Ending::Statement);
}

/// True if the node \p K was created during an activation of \p F that the
/// capture began or entered.
static bool isCaptureIn(const Frame &F, const Retained &K) {
  return K.At.Function == F.Function ||
         llvm::any_of(K.At.Chain, [&](const ChainStep &Step) {
           return Step.Callee == F.Function || Step.Caller == F.Function;
         });
}

void LifetimeModel::endActivation(Frame &F, State &S) {
  if (!Allocated.empty() || !MayAllocate.empty())
    noteCached(F, S);
  if (!Allocated.empty())
    noteStored(F, S);
  if (Nodes.Arguments.empty() || S.OtherThread || S.InCallback)
    return;
  bool Main = !F.Parent && Table.info(F.Function).Name == "main";
  bool Whole = Main && W.isWholeProgram(F.Function);
  noteGraphs(F, S);
  auto Mine = Nodes.EndingIn.find(F.Function);
  if (Mine != Nodes.EndingIn.end())
    for (LocId L : Mine->second) {
      bool Within = llvm::any_of(
          Nodes.In[L], [&](unsigned I) { return Nodes.Arguments[I].Within; });
      if (S.Gone.contains(keyOfObject(L)) || (!Within && handedOn(F, S, L)))
        continue;
      bool Temporary = D.at(L).Kind == LocKind::Temp;
      noteGone(F, S, keyOfObject(L),
               Temporary ? Nodes.Arguments[Nodes.In[L].front()].At.Range
                         : Table.info(F.Function).Where,
               Temporary ? Ending::Statement : Ending::Scope);
    }
  // Memory whose lifetime has ended while the graph exists.
  llvm::DenseMap<CaptureId, bool> Stays;
  auto Check = [&](unsigned Index, unsigned Departed) {
    const Retained &K = Nodes.Arguments[Index];
    if (Departed >> 1 >= Nodes.Departures.size())
      return; // a graph that was destroyed
    bool Capturing = llvm::any_of(
        S.Active, [&](CaptureId C) { return W.sameCapture(C, K.Capture); });
    const Departure &End = Nodes.Departures[Departed >> 1];
    // Later uses of the graph by its callers are still unknown, and main()
    // itself frees its memory before it ends.
    if (End.How == Ending::Freed && !Capturing &&
        (F.Parent || (Main && End.ByIn == F.Function)))
      return;
    // A function that did not capture may also destroy the graph.
    if (End.How == Ending::Recycled && !Capturing && !isCaptureIn(F, K))
      return;
    auto [It, New] = Stays.try_emplace(K.Capture, false);
    bool OnAllPaths = true;
    if (New)
      It->second = Capturing || outlives(F, S, K.Capture, &OnAllPaths, Main);
    // Its lifetime may have ended only on paths without a capture.
    if (!OnAllPaths && Departed & 1)
      It->second = false;
    if (It->second && !Whole &&
        !(K.Root != None && handedOn(F, S, K.Root, K.Within)))
      dangles(Use, Nodes, K, S, Departed, Capturing, false);
  };
  for (const FactMap::Item &I : FactMap(S.Gone)) {
    auto CheckAll = [&](auto &Map) {
      if (auto It = Map.find(I.Key >> 1); It != Map.end())
        for (unsigned Index : It->second)
          Check(Index, I.Data);
    };
    if (I.Key & 1) {
      CheckAll(Nodes.Values);
      continue;
    }
    CheckAll(Nodes.In);
    CheckAll(Nodes.Holders);
  }
  // The lifetimes of this function's variables have ended; the next activation
  // has its own.
  if (Mine != Nodes.EndingIn.end())
    for (LocId L : Mine->second)
      S.Gone.erase(keyOfObject(L));
}

void LifetimeModel::freed(Frame &F, const Op &O, State &S, ValueId Pointer) {
  if (Pointer == None || S.OtherThread || D.asInt(Pointer) ||
      truth(D, S, Pointer) == false)
    return;
  ValueId Base = baseOf(D, Pointer);
  LocId Root = D[Pointer].Kind == ValueKind::Addr ? D.root(D[Pointer].A) : None;
  if (S.InCallback)
    return freedInCallback(F, O, S, Pointer);
  // The memory of any of several objects: perhaps not the one whose graph is
  // launched later.
  if (D[Base].Kind == ValueKind::Phi && D[Base].N == SeveralElements &&
      !D.overflowed(Base)) {
    for (ValueId Each : llvm::SmallVector<ValueId, 6>(D.candidates(Base)))
      if (D[Each].Kind == ValueKind::Memory) {
        freed(F, O, S, Each);
        if (std::optional<unsigned> End = S.Gone.lookup(keyOfValue(Each));
            End && *End >> 1 < Nodes.Departures.size())
          Nodes.Departures[*End >> 1].OfAny = true;
      }
    return;
  }
  llvm::SmallVector<unsigned, 4> Users;
  unsigned Key = keyOfValue(Base);
  if (auto It = Nodes.Values.find(Base); It != Nodes.Values.end())
    Users.append(It->second.begin(), It->second.end());
  if (Root != None && D.at(Root).Kind != LocKind::Pointee)
    if (auto It = Nodes.In.find(Root); It != Nodes.In.end()) {
      Users.append(It->second.begin(), It->second.end());
      Key = keyOfObject(Root);
    }
  noteFreedEarly(F, S, Base);
  if (Users.empty())
    return;
  noteGone(F, S, Key, O.Range, Ending::Freed, Pointer);
  for (unsigned I : Users)
    for (CaptureId C : S.Active)
      if (W.sameCapture(C, Nodes.Arguments[I].Capture))
        dangles(Use, Nodes, Nodes.Arguments[I], S, *S.Gone.lookup(Key),
                /*Capturing=*/true, false);
}

/// Handles a move of the elements of \p Container.
void LifetimeModel::moved(Frame &F, const Op &O, State &S, ValueId Container,
                          Ending How) {
  if (Container == None || D[Container].Kind != ValueKind::Addr ||
      S.OtherThread || S.InCallback)
    return;
  LocId L = D[Container].A;
  auto It = Nodes.Holders.find(L);
  if (It == Nodes.Holders.end() ||
      (How == Ending::Moved && S.Mem.contains(D.slotOf(Slot::Room, L))))
    return;
  noteGone(F, S, keyOfObject(L), O.Range, How);
  if (How == Ending::Moved && llvm::any_of(It->second, [&](unsigned I) {
        return hasGraphInElement(W, S, Nodes.Arguments[I].Capture);
      }))
    Nodes.MovedGraphs.insert({L, F.Function});
  for (unsigned I : It->second)
    for (CaptureId C : S.Active)
      if (W.sameCapture(C, Nodes.Arguments[I].Capture))
        dangles(Use, Nodes, Nodes.Arguments[I], S,
                *S.Gone.lookup(keyOfObject(L)),
                /*Capturing=*/true, false);
}

} // namespace cudagraph
