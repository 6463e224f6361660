//===- GraphModel.cpp - Graphs, and their launches ------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GraphModel.h.
//
//===----------------------------------------------------------------------===//

#include "GraphModel.h"
#include "analysis/ir/Tuples.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

Model::Then GraphModel::apply(Call &C, State &S) {
  switch (C.Api.Does) {
  case Effect::GraphInstantiate:
    instantiate(C, S);
    break;
  case Effect::GraphUpdate:
    update(C, S);
    break;
  case Effect::GraphRetain:
    retain(C, S);
    break;
  case Effect::GraphDestroy:
    if (ValueId G = held(S, C.arg("graph")); G != None && !D.asInt(G))
      S.Gone.set(keyOfValue(G), 0);
    break;
  case Effect::GraphLaunch: {
    ValueId G = C.arg("graph");
    // A library object that contains a graph.
    if (G != None && D[G].Kind == ValueKind::Addr)
      G = read(D, S, D.slotOf(Slot::CapturedGraph, D[G].A));
    launchOutdated(C, S, G);
    launch(C.F, S, G);
    break;
  }
  case Effect::GraphManagement:
    manage(C, S);
    break;
  default:
    break;
  }
  return Then::Follow;
}

void GraphModel::instantiate(Call &C, State &S) {
  ValueId Source = held(S, C.arg("graph"));
  std::optional<CaptureId> Of;
  if (Source != None)
    D.visitTree(Source, [&](ValueId Part) {
      if (D[Part].Kind == ValueKind::Graph)
        Of = D[Part].A;
    });
  if (Of) {
    Nodes.Instantiated.insert(*Of);
    S.Executable.set(*Of, 0);
    S.Outdated.erase(*Of);
  }
  ValueId Exec = Of ? D.value(ValueKind::Exec, C.Site, *Of) : D.opaque(C.Site);
  S.Gone.erase(keyOfValue(Exec)); // from an earlier iteration
  store(S, C.arg("out"), Exec);
}

void GraphModel::update(Call &C, State &S) {
  if (ValueId G = held(S, C.arg("graph")); G != None)
    D.visitTree(G, [&](ValueId Part) { Updated.insert(Part); });
  for (const char *Role : {"graph", "src"})
    if (ValueId G = held(S, C.arg(Role)); G != None)
      eachGraph(D, G, [&](CaptureId Of) { S.Outdated.erase(Of); });
  noteIgnoredUpdate(C, S);
}

void GraphModel::retain(Call &C, State &S) {
  ValueId Object = held(S, C.arg("object"));
  if (Object == None)
    return;
  for (auto &[Known, Memory] : UserObjects)
    // A graph from other code may be any graph.
    if (Known == Object || D[Object].Kind != ValueKind::Opaque)
      Nodes.Owned.insert(Memory.begin(), Memory.end());
}

/// Creates user objects, or graphs from other graphs; returns or changes nodes.
void GraphModel::manage(Call &C, State &S) {
  if (C.arg("nodes") != None)
    return noteNodes(C, S);
  if (C.arg("node") != None)
    return nodeChanged(C, S);
  // A user object keeps its data alive for the graphs that retain it.
  if (ValueId Data = C.arg("data"); Data != None) {
    ValueId Object = D.opaque(C.Site);
    store(S, C.arg("out"), Object);
    UserObjects[Object].push_back(keyOfValue(baseOf(D, Data)));
    if (D[Data].Kind == ValueKind::Addr)
      UserObjects[Object].push_back(keyOfObject(D.root(D[Data].A)));
  } else if (ValueId Out = C.arg("out"); Out != None) {
    ValueId Source = held(S, C.arg("graph"));
    store(S, Out, Source != None ? Source : D.opaque(C.Site));
  }
}

/// Records the present contents of \p From, an input of a captured node.
void GraphModel::noteContents(const State &S, Retained::Input &From) {
  ValueId V = read(D, S, From.Place);
  if (llvm::none_of(From.AtEnd, [&](auto Each) { return Each.first == V; }))
    From.AtEnd.push_back({V, Nodes.Changes});
}

/// Records the contents of variables when capture \p C ends.
void GraphModel::captureEnded(State &S, CaptureId C) {
  for (Retained &K : Nodes.Arguments)
    if (W.sameCapture(K.Capture, C))
      for (Retained::Input &I : K.Inputs)
        noteContents(S, I);
}

void GraphModel::returned(const Frame &F, const State &S) {
  auto IsOver = [&](CaptureId C) {
    return llvm::any_of(S.Captured, [&](const FactMap::Item &I) {
      return I.Key != EarlierCapture && W.sameCapture(I.Key, C);
    });
  };
  auto Mine = Nodes.InputsIn.find(F.Function);
  if (Mine == Nodes.InputsIn.end())
    return;
  for (unsigned Index : Mine->second) {
    Retained &K = Nodes.Arguments[Index];
    if (!IsOver(K.Capture))
      continue;
    for (Retained::Input &I : K.Inputs)
      if (const LocNode Root = D.at(D.root(I.Place));
          Root.Kind == LocKind::Var && Root.A == F.Function)
        noteContents(S, I);
  }
}

/// True if \p L is a variable of a function, or a part of one.
static bool isLocal(const Domain &D, LocId L) {
  const LocNode Root = D.at(D.root(L));
  if (Root.Kind != LocKind::Pointee)
    return Root.Kind == LocKind::Var || Root.Kind == LocKind::Temp;
  // One of several variables.
  llvm::ArrayRef<ValueId> All = D.candidates(Root.A);
  return D[Root.A].Kind == ValueKind::Phi && !D.overflowed(Root.A) &&
         !All.empty() && llvm::all_of(All, [&](ValueId V) {
           return D[V].Kind == ValueKind::Addr &&
                  D.at(D.root(D[V].A)).Kind == LocKind::Var;
         });
}

/// True if \p Exec may be an executable graph whose creation the walk has not
/// seen. In a whole program, a local variable did not contain one at first.
bool GraphModel::isOld(ValueId Exec, unsigned Depth) const {
  constexpr unsigned MaxDepth = 4;
  const ValueNode N = D[Exec];
  switch (N.Kind) {
  case ValueKind::Exec:
    return false;
  case ValueKind::Phi:
    if (D.candidates(Exec).empty())
      return true;
    if (Depth == MaxDepth)
      return !Nodes.Whole;
    return llvm::any_of(D.candidates(Exec),
                        [&](ValueId V) { return isOld(V, Depth + 1); });
  case ValueKind::Init:
    return !Nodes.Whole || !isLocal(D, N.A);
  case ValueKind::Op: // the elements of a new container
    return !Nodes.Whole || D.text(N.S) != "aggregate";
  default:
    return !D.asInt(Exec);
  }
}

void GraphModel::launch(const Frame &F, State &S, ValueId Exec) {
  if (Exec == None || S.Failing || !S.Active.empty())
    return;
  bool Old = isOld(Exec);
  if (Old && !Updated.contains(Exec)) {
    llvm::DenseSet<FunctionId> Stack;
    for (const Frame *A = &F; A; A = A->Parent)
      Stack.insert(A->Function);
    OldLaunches.push_back(std::move(Stack));
    Nodes.OldLaunched = true;
  }
  // Code that frees the memory has also destroyed an executable graph with this
  // name: this one belongs to another object of the same site.
  if (S.Gone.contains(keyOfValue(Exec)))
    return;
  eachGraph(D, Exec, [&](CaptureId C) {
    for (const Retained &K : Nodes.Arguments)
      if (W.sameCapture(K.Capture, C))
        noteLaunched(S, K);
  });
}

/// Handles the launch of the graph that contains \p K.
void GraphModel::noteLaunched(const State &S, const Retained &K) {
  std::optional<unsigned> Departed =
      K.Root == None ? std::nullopt : S.Gone.lookup(keyOfObject(K.Root));
  if (!Departed && K.Holder != None)
    Departed = S.Gone.lookup(keyOfObject(K.Holder));
  if (!Departed && K.Use.IsPointer)
    Departed = S.Gone.lookup(keyOfValue(K.Value));
  for (ValueId Slot : K.Slots)
    if (!Departed)
      Departed = S.Gone.lookup(keyOfValue(Slot));
  if (Departed)
    dangles(Use, Nodes, K, S, *Departed, false, /*Launched=*/true);
}

void GraphModel::noteKeys(const State &S, ValueId V) {
  if (!S.Active.empty() || S.InCallback)
    return;
  auto All = [&](ValueId X) {
    llvm::SmallVector<LocId, 4> Objects;
    auto Add = [&](ValueId Part) {
      Keys.insert(Part);
      if (D[Part].Kind == ValueKind::Addr || D[Part].Kind == ValueKind::CopyOf)
        Objects.push_back(D.root(D[Part].A));
    };
    D.visitTree(X, Add);
    // An argument passed by reference.
    llvm::SmallVector<LocId, 4> Places;
    D.visitTree(X, [&](ValueId Part) {
      if (D[Part].Kind == ValueKind::Addr)
        Places.push_back(D[Part].A);
    });
    for (LocId L : Places)
      D.visitTree(read(D, S, L), Add);
    // The compared value may be a structure, created from the relevant values.
    for (unsigned I = 0; I < Objects.size() && I < 4; ++I)
      for (const Memory::Item &Each : S.Mem)
        if (D.root(Each.Key) == Objects[I])
          D.visitTree(Each.Data, Add);
  };
  llvm::SmallVector<ValueId, 8> Work{V};
  for (unsigned Guard = 0; !Work.empty() && Guard < 64; ++Guard) {
    ValueId X = Work.pop_back_val();
    if (X == None)
      continue;
    const ValueNode N = D[X];
    llvm::StringRef Op =
        N.Kind == ValueKind::Op ? D.text(N.S) : llvm::StringRef();
    if (Op == "!" || Op == "bool" || Op == "&&" || Op == "||") {
      Work.push_back(N.A);
      Work.push_back(N.B);
    } else if (N.Kind != ValueKind::Op || Op == "==" || Op == "library" ||
               Op == "aggregate" || Op == TupleOp) {
      All(X);
    }
  }
}

} // namespace cudagraph
