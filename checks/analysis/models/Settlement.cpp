//===- Settlement.cpp - Changes that a launch does not miss ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An update sets nodes to the current values. Code that marks the graph as
// missing drops the graph.
//
//===----------------------------------------------------------------------===//

#include "ChangeModel.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True if \p V is one of several values, and \p F has selected it by a
/// condition that may differ next time.
bool ChangeModel::isDecidedAgain(const Frame &F, State &S, ValueId V) const {
  const FlowGraph &G = *F.Graph;
  auto Varies = [&](ExprId Cond) {
    Inputs::Places Read = Inputs(W, Use.Calls).of(F, Cond, S, Inputs::Test);
    return llvm::any_of(Read, [&](const Inputs::Input &I) {
      return differsNextCall(read(D, S, I.Place));
    });
  };
  bool Again = false;
  D.visitTree(V, [&](ValueId Part) {
    ValueId Condition = D.conditionOf(Part);
    if (Condition != None) {
      Again |= differsNextCall(Condition);
      // A sum over elements, or the result of a search.
      D.visitTree(Condition, [&](ValueId Of) {
        Again |= D[Of].Kind == ValueKind::Phi && !D.isNumbers(Of);
      });
    }
    std::optional<Domain::Site> Met = D.joinOf(Part);
    if (!Met || Met->In != F.Function || Again)
      return;
    // The branches that lead to the join.
    llvm::SmallVector<unsigned, 8> Work{static_cast<unsigned>(Met->Index)};
    for (unsigned I = 0; I < Work.size() && I < 8; ++I)
      for (unsigned B = 0; B < Work[I] && B < G.Blocks.size(); ++B)
        if (llvm::any_of(G.Blocks[B].Succs,
                         [&](const Edge &E) { return E.To == Work[I]; }) &&
            !llvm::is_contained(Work, B)) {
          Work.push_back(B);
          Again |= G.Blocks[B].Succs.size() > 1 && G.Blocks[B].Cond != None &&
                   Varies(G.Blocks[B].Cond);
        }
  });
  return Again;
}

/// True if \p V at \p L, in place of \p Old, marks the graph as missing, so
/// that the next launch captures first.
bool ChangeModel::abandons(const Frame &F, const State &S, LocId L, ValueId Old,
                           ValueId V) const {
  if (D.asInt(V) != 0 || Old == None || Old == V)
    return false;
  auto IsExec = [&](ValueId X) { return D[X].Kind == ValueKind::Exec; };
  if (IsExec(Old) || llvm::any_of(D.candidates(Old), IsExec))
    return llvm::none_of(S.Mem, [&](const Memory::Item &I) {
      return I.Data == Old && I.Key != L; // it was moved there
    });
  // A newly created object is not a key of an earlier capture.
  const LocNode Root = D.at(D.root(L));
  if (Table.info(F.Function).IsConstructor ||
      (Root.Kind == LocKind::Var && Root.A == F.Function &&
       D[Old].Kind == ValueKind::Init && D.root(D[Old].A) == D.root(L)))
    return false;
  const WriteSummary *Writes = Rel.writes(stateName(L));
  return Writes && Writes->IsKey && !(Rel.bits(F.Function) & Relevance::Begins);
}

/// True if \p L is a variable of a function that is never active while a
/// capture begins: no graph uses it.
bool ChangeModel::isPassing(const Frame &F, LocId L) const {
  const LocNode Root = D.at(D.root(L));
  return Root.Kind == LocKind::Var && Root.A != F.root().Function &&
         !(Rel.bits(Root.A) & Relevance::Opens);
}

/// The number at \p L, the parameter \p Param or a member of it, if \p Arg is
/// passed.
static std::optional<ValueId> partOf(Domain &D, const State &S, ValueId Arg,
                                     LocId L, LocId Param) {
  if (L == Param)
    return Arg;
  if (D[Arg].Kind != ValueKind::Addr && D[Arg].Kind != ValueKind::CopyOf)
    return std::nullopt;
  std::optional<LocId> Same = samePartOf(D, L, Param, D[Arg].A);
  return Same ? std::optional(read(D, S, *Same)) : std::nullopt;
}

/// True if \p This is a local variable, and the function that declares it makes
/// the call in \p F in a loop: each iteration may have a new object.
static bool mayBeNew(const Domain &D, const Frame &F, ValueId This) {
  if (This == None || D[This].Kind != ValueKind::Addr)
    return false;
  const LocNode Root = D.at(D.root(D[This].A));
  unsigned Block = F.Block;
  for (const Frame *A = &F; A && Root.Kind == LocKind::Var;
       Block = A->CallBlock, A = A->Parent)
    if (A->Function == Root.A)
      return !loopsAround(*A->Graph, Block).empty();
  return false;
}

void ChangeModel::passed(const Frame &F, const Op &O, State &S,
                         FunctionId Callee, llvm::ArrayRef<ValueId> Args,
                         ValueId This) {
  if (Nodes.Passed.empty() || S.Captured.empty() || !S.Active.empty() ||
      S.Failing || S.InCallback || S.OtherThread || O.Once ||
      !(Rel.bits(Callee) & Relevance::Begins))
    return; // a function without a capture does its work itself
  std::optional<PassedNumbers> Now;
  auto Note = [&](LocId L, ValueId V, ExprId Arg) {
    S.Changes.eraseIf([&](const FactMap::Item &Each) {
      return Changes[Each.Key].Passed && Changes[Each.Key].At == L;
    });
    for (const FactMap::Item &Each : FactMap(S.Captured)) {
      if (Each.Key == EarlierCapture)
        continue;
      llvm::SmallVector<ValueId, 4> Before;
      for (auto [C, Old] : Nodes.Passed[L])
        if (W.sameCapture(C, Each.Key))
          Before.push_back(Old);
      Change C{L, O.Range, F.Function, Each.Key, false, V};
      C.Passed = true;
      const std::set<LocId> Keys = Capturing.keysIn(Each.Key, Callee);
      C.SameKey = !Keys.empty();
      if (Capturing.isFirstCall(Callee, Each.Key, This) ||
          Capturing.selectsObject(F, O, S, Arg))
        continue;
      bool Cleared =
          Nodes.InMemory.count(Each.Key) && !isInObject(W, S, Each.Key);
      if (C.SameKey ? mayBeNew(D, F, This) || Cleared
                    : Capturing.isOfKeyObject(Each.Key, L))
        continue;
      if (C.SameKey && !Now)
        Now = Capturing.numbersIn(S, Callee, Args, This);
      if (C.SameKey ? Capturing.differ(*Now, Callee, Each.Key, Keys, L)
                    : isOtherNumber(D, V, Before))
        note(S, std::move(C));
    }
    settle(S);
  };
  for (unsigned I = 0; I < Args.size(); ++I) {
    LocId Param = D.loc(LocKind::Var, I, Callee);
    auto It = Nodes.PassedIn.find(Param);
    if (It == Nodes.PassedIn.end())
      continue;
    for (LocId L : It->second)
      if (std::optional<ValueId> V = partOf(D, S, Args[I], L, Param))
        Note(L, *V, O.arg(I) ? O.arg(I)->Value : None);
  }
}

/// Places whose contents \p C passes to a node: the inputs of an argument, or
/// the targets of a structure or an array among the arguments.
Inputs::Places ChangeModel::givenBy(const Call &C, State &S) {
  Inputs Sources(W, Use.Calls);
  Inputs::Places Given;
  std::optional<unsigned> Node = C.indexOf("node");
  if (!Node)
    return Given;
  for (unsigned I = *Node + 1; I < C.Args.size() && I < C.O.Args.size(); ++I) {
    llvm::append_range(Given, Sources.of(C.F, C.O.Args[I].Value, S));
    if (D[C.Args[I]].Kind != ValueKind::Addr)
      continue;
    llvm::SmallVector<LocId, 4> Roots{D.root(D[C.Args[I]].A)};
    for (unsigned R = 0; R < Roots.size() && R < 4; ++R)
      for (const Memory::Item &Each : Memory(S.Mem))
        if (D.root(Each.Key) == Roots[R] &&
            D[Each.Data].Kind == ValueKind::Addr) {
          LocId At = D[Each.Data].A;
          Given.push_back({At});
          llvm::append_range(Given, Sources.behind(C.F, At, S));
          if (!llvm::is_contained(Roots, D.root(At)))
            Roots.push_back(D.root(At));
        }
  }
  return Given;
}

/// Handles the destruction of a graph: one that was not instantiated before is
/// never launched.
void ChangeModel::dropped(const Call &C, State &S) {
  ValueId G = held(S, C.arg("graph"));
  if (G == None || D[G].Kind != ValueKind::Graph)
    return;
  auto Gone = [&](CaptureId X) { return W.sameCapture(X, D[G].A); };
  // Instantiation elsewhere is not visible.
  if (llvm::none_of(Nodes.Instantiated, Gone))
    return;
  if (llvm::any_of(S.Executable,
                   [&](const FactMap::Item &I) { return Gone(I.Key); }))
    return;
  drop(S, Gone);
}

/// Removes the graphs of the captures for which \p IsGone returns true.
void ChangeModel::drop(State &S,
                       llvm::function_ref<bool(CaptureId)> IsGone) const {
  S.Captured.eraseIf([&](const FactMap::Item &I) { return IsGone(I.Key); });
  S.Changes.eraseIf(
      [&](const FactMap::Item &I) { return IsGone(Changes[I.Key].Of); });
  settle(S);
}

/// Memory that only graphs of \p Captures used has ended with them: a later
/// graph of the same code uses memory of its own.
static void forgetUsed(const NodeTable &Nodes, State &S,
                       const std::set<CaptureId> &Captures) {
  S.Gone.eraseIf([&](const FactMap::Item &I) {
    bool Used = false;
    auto Ended = [&](const auto &Users, unsigned Key) {
      auto It = Users.find(Key);
      if (It == Users.end())
        return true;
      Used = true;
      return llvm::all_of(It->second, [&](unsigned K) {
        return Captures.count(Nodes.Arguments[K].Capture);
      });
    };
    unsigned Key = I.Key >> 1;
    return (I.Key == keyOfValue(Key)
                ? Ended(Nodes.Values, Key)
                : Ended(Nodes.In, Key) && Ended(Nodes.Holders, Key)) &&
           Used;
  });
}

void ChangeModel::ended(const Frame &F, State &S, LocId Var) {
  auto IsOver = [&](LocId Root) {
    const LocNode N = D.at(Root);
    return Var != None ? Root == Var
                       : N.Kind == LocKind::Var && N.A == F.Function;
  };
  auto IsGone = [&](const Memory::Item &I) {
    bool Has = false;
    if (IsOver(D.root(I.Key)))
      eachGraph(D, I.Data, [&](CaptureId) { Has = true; });
    return Has;
  };
  bool Matters = !S.Gone.empty() || (Var != None && !S.Captured.empty());
  if (Matters && llvm::any_of(S.Mem, IsGone)) {
    // A handle may have been copied to an unknown place, unlike an owner.
    std::set<CaptureId> Gone = graphsOnlyIn(
        W, Nodes, S,
        [&](const Memory::Item &I) {
          return I.Key != D.root(I.Key) && IsGone(I);
        },
        &F);
    S.Mem.eraseIf(IsGone);
    forgetUsed(Nodes, S, Gone);
    drop(S, [&](CaptureId C) { return Gone.count(C); });
  }
  if (Var == None)
    return;
  if (S.Changes.empty())
    return;
  S.Changes.eraseIf([&](const FactMap::Item &I) {
    const Change &C = Changes[I.Key];
    return D.root(C.At) == Var && !C.Passed;
  });
  settle(S);
}

void ChangeModel::cleared(const Frame &F, State &S, LocId L) {
  if (S.Gone.empty() && S.Captured.empty())
    return;
  auto IsElement = [&](const Memory::Item &I) {
    for (LocId P = I.Key;
         D.at(P).Kind == LocKind::Field || D.at(P).Kind == LocKind::Elem;
         P = D.at(P).A)
      if (D.at(P).Kind == LocKind::Elem && D.at(P).A == L)
        return true;
    return false;
  };
  std::set<CaptureId> Gone = graphsOnlyIn(W, Nodes, S, IsElement, &F);
  if (Gone.empty())
    return;
  forgetUsed(Nodes, S, Gone);
  drop(S, [&](CaptureId C) { return Gone.count(C); });
}

void ChangeModel::noteNull(State &S, ValueId V) {
  bool Has = false;
  if (!S.Captured.empty() && D[V].Kind == ValueKind::Phi)
    eachGraph(D, V, [&](CaptureId) { Has = true; });
  if (!Has)
    return;
  std::set<CaptureId> Gone = graphsOnlyIn(
      W, Nodes, S, [&](const Memory::Item &I) { return I.Data == V; });
  drop(S, [&](CaptureId C) { return Gone.count(C); });
}

void ChangeModel::calledEach(const State &Before,
                             llvm::MutableArrayRef<State> After) {
  auto GaveUp = [&](CaptureId X) {
    return Before.Captured.contains(X) &&
           llvm::any_of(After, [&](const State &S) {
             return !S.Failing && !S.Captured.contains(X);
           });
  };
  for (State &S : After)
    drop(S, GaveUp);
}

/// True if \p Node is of a graph from which the program has instantiated an
/// executable graph. The change of such a node is reported, not its values.
static bool changesSource(const Domain &D, const State &S, ValueId Node) {
  bool Used = false;
  eachGraph(D, Node,
            [&](CaptureId Each) { Used |= S.Executable.contains(Each); });
  return Used;
}

/// Handles an update of nodes of a graph: all nodes receive new values, or one
/// of them does.
void ChangeModel::updated(Call &C, State &S) {
  const bool OfSource = C.Api.Does == catalogue::Effect::GraphManagement;
  if (OfSource && !changesSource(D, S, held(S, C.arg("node"))))
    return;
  Inputs::Places Given = givenBy(C, S);
  for (const Inputs::Input &I : Given)
    Nodes.UpdatedPlaces.insert(I.Place);
  if (OfSource)
    return;
  if (Given.empty()) {
    for (ValueId A : C.Args)
      eachGraph(D, held(S, A), [&](CaptureId X) {
        Nodes.Fresh.insert(X);
        S.Executable.set(X, 0);
        S.Launched.erase(X);
      });
    S.Captured.erase(EarlierCapture);
  }
  S.Changes.eraseIf([&](const FactMap::Item &I) {
    return Given.empty() || llvm::any_of(Given, [&](const Inputs::Input &X) {
             return overlap(D, X.Place, Changes[I.Key].At);
           });
  });
  settle(S);
}

} // namespace cudagraph
