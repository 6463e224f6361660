//===- EngineLife.cpp - How long what a graph uses lives ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is launched after its capture, often long after. Memory that ends
// while the capture is still active, or before a launch, or while the graph is
// stored where it outlives the function, is used after its end; a variable that
// changes in between leaves the number in the node behind.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True for two views of one capture: a wrapper's and its caller's.
bool Engine::sameCapture(CaptureId A, CaptureId B) const {
  return A == B || (Result.Captures[A].BeginCall.Begin ==
                        Result.Captures[B].BeginCall.Begin &&
                    Result.Captures[A].BeginCall.Begin != 0);
}

/// True if the graph of \p C is stored where \p F's caller, or anybody, can
/// launch it.
bool Engine::outlives(const Frame &F, const State &S, CaptureId C,
                      bool *OnAllPaths) {
  for (const Memory::Item &I : S.Mem) {
    bool Mine = false;
    eachGraph(D, I.Data, [&](CaptureId X) { Mine |= sameCapture(X, C); });
    if (!Mine || S.Gone.contains(keyOfValue(I.Data)))
      continue;
    if (OnAllPaths)
      *OnAllPaths = D[I.Data].Kind != ValueKind::Phi;
    const LocNode Root = D.at(D.root(I.Key));
    switch (Root.Kind) {
    case LocKind::Global:
    case LocKind::Pointee:
    case LocKind::Return:
      return true;
    case LocKind::Var:
    case LocKind::Temp:
      if (Root.A != F.Function)
        return true;
      break;
    default:
      break;
    }
  }
  return false;
}

/// True if what \p Root holds was moved or returned to somebody who keeps it.
bool Engine::handedOn(const Frame &F, const State &S, LocId Root) {
  return llvm::any_of(S.Mem, [&](const Memory::Item &I) {
    const ValueNode N = D[I.Data];
    const LocNode Holder = D.at(D.root(I.Key));
    return N.Kind == ValueKind::CopyOf && D.root(N.A) == Root &&
           (Holder.Kind == LocKind::Global || Holder.Kind == LocKind::Pointee ||
            Holder.Kind == LocKind::Return || Holder.A != F.Function);
  });
}

void Engine::noteGone(const Frame &F, State &S, unsigned Key, Span Where,
                      Ending How) {
  auto [It, New] = DepartureIds.try_emplace(
      {Where.Begin, static_cast<unsigned>(How)}, Departures.size());
  if (New)
    Departures.push_back({Where, F.Function, How});
  S.Gone.set(Key, It->second << 1);
}

/// Reports that memory of \p K ends, as \p Departure says, before the graph.
void Engine::dangles(const Kept &K, const State &S, unsigned Departed,
                     bool Capturing, bool Launched) {
  if (S.Failing || (K.Root != None && Retained.contains(keyOfObject(K.Root))) ||
      Retained.contains(keyOfValue(K.Value)))
    return;
  const Departure &End = Departures[Departed >> 1];
  Fact R = K.At;
  R.Kind = FactKind::Dangles;
  R.Unparsed = std::max(R.Unparsed, S.Unparsed);
  R.End = End.How;
  R.Other = End.Where;
  R.OtherIn = End.In;
  R.Capturing = Capturing;
  R.Launched = Launched;
  if (K.Root != None)
    if (std::string Name = nameOf(K.Holder != None ? K.Holder : K.Root);
        !Name.empty())
      R.Object = Name;
  R.What = R.Object;
  std::optional<LocNode> Root;
  if (K.Root != None)
    Root = D.at(K.Root);
  if (Root && Root->Kind == LocKind::Var)
    if (const FlowGraph *G = Table.graph(Root->A)) {
      R.IsParam = static_cast<unsigned>(Root->N) < G->NumParams;
      R.OwnsElements = G->Vars[Root->N].OwnsElements;
      R.StaticFix = G->Vars[Root->N].Constant;
    }
  if ((!Capturing && !Launched) || Departed & 1 || End.How == Ending::Moved)
    R.Sure = std::min(R.Sure, Confidence::Likely);
  record(std::move(R));
}

/// The variable \p Var of this function goes out of scope.
void Engine::endLife(Frame &F, State &S, LocId Var, Span Where) {
  auto It = KeptIn.find(Var);
  if (It == KeptIn.end() || S.OtherThread || S.InCallback)
    return;
  noteGone(F, S, keyOfObject(Var), Where, Ending::Scope);
  unsigned Departed = *S.Gone.lookup(keyOfObject(Var));
  for (unsigned I : It->second)
    for (CaptureId C : S.Active)
      if (sameCapture(C, Kepts[I].Capture) && !handedOn(F, S, Var))
        dangles(Kepts[I], S, Departed, /*Capturing=*/true, false);
}

/// An activation of \p F ends in state \p S: so do its variables.
void Engine::endActivation(Frame &F, State &S) {
  if (Kepts.empty() || S.OtherThread || S.InCallback)
    return;
  bool Whole = !F.Parent && Table.info(F.Function).Name == "main";
  // Where the graphs of captures that begin here are kept.
  for (CaptureId C = 0; C < Result.Captures.size(); ++C)
    if (Result.Captures[C].Home == F.Function &&
        !Result.Captures[C].Ends.empty())
      (outlives(F, S, C) ? Outliving : LocalOnly).insert(C);
  auto Mine = EndingIn.find(F.Function);
  if (Mine != EndingIn.end())
    for (LocId L : Mine->second) {
      if (S.Gone.contains(keyOfObject(L)) || handedOn(F, S, L))
        continue;
      bool Temporary = D.at(L).Kind == LocKind::Temp;
      noteGone(F, S, keyOfObject(L),
               Temporary ? Kepts[KeptIn[L].front()].At.Range
                         : Table.info(F.Function).Where,
               Temporary ? Ending::Statement : Ending::Scope);
    }
  // What has ended, by now, while the graph goes on.
  llvm::DenseMap<CaptureId, bool> Stays;
  auto Check = [&](unsigned Index, unsigned Departed) {
    const Kept &K = Kepts[Index];
    bool Capturing = llvm::any_of(
        S.Active, [&](CaptureId C) { return sameCapture(C, K.Capture); });
    auto [It, New] = Stays.try_emplace(K.Capture, false);
    bool OnAllPaths = true;
    if (New)
      It->second = Capturing || outlives(F, S, K.Capture, &OnAllPaths);
    // It may have ended on those paths alone that capture nothing.
    if (!OnAllPaths && Departed & 1)
      It->second = false;
    if (It->second && !Whole && !(K.Root != None && handedOn(F, S, K.Root)))
      dangles(K, S, Departed, Capturing, false);
  };
  for (const FactMap::Item &I : FactMap(S.Gone)) {
    auto CheckAll = [&](auto &Map) {
      if (auto It = Map.find(I.Key >> 1); It != Map.end())
        for (unsigned Index : It->second)
          Check(Index, I.Data);
    };
    if (I.Key & 1) {
      CheckAll(KeptValues);
      continue;
    }
    CheckAll(KeptIn);
    CheckAll(KeptHolders);
  }
  // Those of this function are over; the next activation has its own.
  if (Mine != EndingIn.end())
    for (LocId L : Mine->second)
      S.Gone.erase(keyOfObject(L));
}

/// What \p Pointer points to is freed by \p O.
void Engine::freed(Frame &F, const Op &O, State &S, ValueId Pointer) {
  if (Pointer == None || S.OtherThread || D.asInt(Pointer))
    return;
  ValueId Base = baseOf(Pointer);
  LocId Root = D[Pointer].Kind == ValueKind::Addr ? D.root(D[Pointer].A) : None;
  if (S.InCallback) {
    LocId Data = CallbackData == None ? None : D.root(D.pointee(CallbackData));
    bool Part = D[Base].Kind == ValueKind::Init && D.root(D[Base].A) == Data;
    if (CallbackData == None || (Pointer != CallbackData &&
                                 Base != CallbackData && Root != Data && !Part))
      return;
    Fact R = factAt(F, O, S, S.Active.back());
    R.Kind = FactKind::CallbackFrees;
    R.Callee = O.Callee == None ? "delete" : Table.info(O.Callee).Name;
    if (Part && Pointer != CallbackData && Base != CallbackData && Root != Data)
      R.Sure = Confidence::Possible;
    record(std::move(R));
    return;
  }
  llvm::SmallVector<unsigned, 4> Users;
  unsigned Key = keyOfValue(Base);
  if (auto It = KeptValues.find(Base); It != KeptValues.end())
    Users.append(It->second.begin(), It->second.end());
  if (Root != None && D.at(Root).Kind != LocKind::Pointee)
    if (auto It = KeptIn.find(Root); It != KeptIn.end()) {
      Users.append(It->second.begin(), It->second.end());
      Key = keyOfObject(Root);
    }
  if (Users.empty())
    return;
  noteGone(F, S, Key, O.Range, Ending::Freed);
  for (unsigned I : Users)
    for (CaptureId C : S.Active)
      if (sameCapture(C, Kepts[I].Capture))
        dangles(Kepts[I], S, *S.Gone.lookup(Key), /*Capturing=*/true, false);
}

/// \p Container puts its elements elsewhere.
void Engine::moved(Frame &F, const Op &O, State &S, ValueId Container) {
  if (Container == None || D[Container].Kind != ValueKind::Addr ||
      S.OtherThread || S.InCallback)
    return;
  LocId L = D[Container].A;
  auto It = KeptHolders.find(L);
  if (It == KeptHolders.end())
    return;
  noteGone(F, S, keyOfObject(L), O.Range, Ending::Moved);
  for (unsigned I : It->second)
    for (CaptureId C : S.Active)
      if (sameCapture(C, Kepts[I].Capture))
        dangles(Kepts[I], S, *S.Gone.lookup(keyOfObject(L)),
                /*Capturing=*/true, false);
}

} // namespace cudagraph
