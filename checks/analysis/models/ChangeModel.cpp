//===- ChangeModel.cpp - Changes between replays --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ChangeModel.h.
//
//===----------------------------------------------------------------------===//

#include "ChangeModel.h"
#include "analysis/domain/Truth.h"
#include "analysis/ir/OptionalFlag.h"
#include "analysis/program/Alternation.h"
#include "analysis/program/ElementLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// The maximum number of changes in one walk. A walk with more is incomplete.
static constexpr unsigned MaxChanges = 4096;

/// If there are more graphs, states with different ones are merged.
static constexpr unsigned ManyGraphs = 4;

static constexpr CaptureId Earlier = EarlierCapture;

void ChangeModel::enterRoot(FunctionId F, State &S) {
  Nodes.Whole = Table.info(F).Name == "main";
  Nodes.Closed = W.isWholeProgram(F);
  if (!Nodes.Whole)
    S.Captured.set(Earlier, 1);
}

void ChangeModel::note(State &S, Change C) {
  if (Changes.size() >= MaxChanges) {
    Result.BudgetExceeded = true;
    return;
  }
  auto [It, New] = Ids.try_emplace(C, Changes.size());
  if (New)
    Changes.push_back(C);
  else
    for (unsigned Call : C.Via)
      if (auto &Via = Changes[It->second].Via; !llvm::is_contained(Via, Call))
        Via.push_back(Call);
  Nodes.Changes = Changes.size();
  S.Changes.set(It->second, 0);
  settle(S);
}

/// Called after State::Changes or State::Captured of \p S was modified. A
/// caller's next action may
/// depend on a reallocation, so states that differ in this are not merged.
void ChangeModel::settle(State &S) const {
  S.Unsettled = 0;
  S.Graphs = 0;
  // Other roots may also launch graphs of earlier calls.
  for (const FactMap::Item &I : S.Captured)
    if (Nodes.Whole && I.Key != Earlier)
      S.Graphs = W.Steps > ManySteps || S.Captured.size() > ManyGraphs
                     ? 1
                     : S.Graphs * 31 + I.Key + 1;
  if (S.Changes.empty())
    return;
  S.Unsettled = 1;
  if (W.Steps > ManySteps)
    return;
  for (const FactMap::Item &I : S.Changes)
    if (const Change &C = Changes[I.Key];
        C.To != None && (D[C.To].Kind == ValueKind::Memory || C.Container) &&
        isInputPlace(D, Nodes, C.At))
      S.Unsettled = (S.Unsettled * 31 + I.Key) | 1;
}

/// True if the value would be different on the next call to the root.
bool ChangeModel::differsNextCall(ValueId V) const {
  bool Differs = false, Computed = D[V].Kind == ValueKind::Op;
  D.visitTree(V, [&](ValueId Part) {
    const ValueNode N = D[Part];
    Differs |= Computed && N.Kind == ValueKind::Addr;
    switch (N.Kind) {
    case ValueKind::Opaque:
    case ValueKind::CopyOf: // the current contents
    case ValueKind::DeviceRead:
    case ValueKind::Varying:
      Differs = true;
      break;
    case ValueKind::Memory:
      Differs |= N.B == TakenMemory;
      break;
    case ValueKind::Init: {
      // Contents whose write the walk has not seen; a different element each
      // time.
      if (Nodes.Whole || isOfSomeElement(D, N.A)) {
        Differs = true;
        break;
      }
      const LocNode Root = D.at(D.root(N.A));
      if (Root.Kind == LocKind::Var) { // a parameter of the root
        Differs = true;
        break;
      }
      const WriteSummary *Writes = Rel.writes(stateName(N.A));
      Differs |= Writes && (Writes->ReadModifyWrite || Writes->TakesTurns);
      break;
    }
    default:
      break;
    }
  });
  return Differs;
}

/// True if a node may retain a number that was read at \p L.
bool ChangeModel::isInput(LocId L) const {
  if (Nodes.InputRoots.contains(D.root(L)))
    return true;
  for (;; L = D.at(L).A) {
    const LocNode N = D.at(L);
    if (N.Kind != LocKind::Field && N.Kind != LocKind::Elem)
      return N.Kind == LocKind::Global && Nodes.InputNames.contains(N.S);
    if (N.Kind == LocKind::Field && Nodes.InputNames.contains(N.S))
      return true;
  }
}

/// True if \p V is the address of an object that one site may have created
/// several times, or of one of several such objects.
static bool isOfNewObjects(const Domain &D, ValueId V) {
  const ValueNode N = D[V];
  if (N.Kind == ValueKind::Phi && N.N == SeveralElements)
    return !D.candidates(V).empty() &&
           llvm::all_of(D.candidates(V), [&](ValueId Each) {
             return D[Each].Kind != ValueKind::Phi && isOfNewObjects(D, Each);
           });
  if (N.Kind != ValueKind::Addr)
    return false;
  const LocNode Root = D.at(D.root(N.A));
  return Root.Kind == LocKind::Temp && D.text(Root.S) == "heap";
}

/// True if \p V, which \p O of \p F stores, is read from the element that a
/// loop visits, or is the address of one of several objects, read from an
/// element with a variable index: next time, \p O may store a different value.
static bool isOneOfMany(const Domain &D, const Frame &F, const Op &O,
                        ValueId V) {
  if (O.Value == None)
    return false;
  const FlowGraph &G = *F.Graph;
  if (!D.asInt(V) && isOfVisitedElement(G, F.Block, O.Value))
    return true;
  if (!isOfNewObjects(D, V))
    return false;
  for (ExprId P = O.Value; P != None; P = G.Exprs[P].A)
    switch (G.Exprs[P].Kind) {
    case ExprKind::Elem:
      if (G.Exprs[P].B == None || G.Exprs[G.Exprs[P].B].Kind != ExprKind::Int)
        return true;
      break;
    case ExprKind::Load:
    case ExprKind::AddrOf:
    case ExprKind::Deref:
    case ExprKind::Field:
      break;
    default:
      return false;
    }
  return false;
}

void ChangeModel::written(const Frame &F, const Op &O, State &S, LocId L,
                          ValueId Old, ValueId V) {
  if (S.Failing || S.InCallback || S.OtherThread || O.Once)
    return;
  noteElement(F, S, O.Place, L, V);
  if (!O.Range.Begin)
    return;
  // An optional that is set or emptied.
  if (stateName(L) == EngagedFlag)
    L = D.at(L).A;
  if (!S.Active.empty())
    return;
  LocKind Root = D.at(D.root(L)).Kind;
  Nodes.Executed.insert(O.Range.Begin);
  if (isOwnTemporary(D, F, L))
    return; // it is new
  if (abandons(F, S, L, Old, V)) {
    S.Changes = FactMap();
    S.Captured = FactMap();
    settle(S);
    return;
  }
  // Two unknown values are not equal.
  bool Again = Old == V && (isDecidedAgain(F, S, V) || isOneOfMany(D, F, O, V));
  bool Same = Old == V && !Again && !differsNextCall(V) &&
              llvm::none_of(S.Captured, [&](const FactMap::Item &I) {
                return Renewed.differs(V, I.Key, Renewals::blocksOf(F));
              });
  if (S.Captured.empty() || Same || isStatus(D, V) || accumulatesStatus(D, V) ||
      isLatch(*F.Graph, O.Value, O.Place) || D.slotAt(L) != Slot::None ||
      isSynthetic(stateName(L)))
    return;
  // A constructor does not change an object that a graph uses.
  for (const Frame *A = &F; A; A = A->Parent)
    if (A->This != None && Table.info(A->Function).IsConstructor &&
        D.root(D.pointee(A->This)) == D.root(L))
      return;
  // No graph uses an object that the same call has created, even if the
  // analysis has one name for all objects that it creates.
  if (O.Place != None && Made.of(F).has(O.Place))
    return;
  // No graph uses an element that is new.
  if (isOfElement(D, L) &&
      (Shapes.fillsNewElement(F.Function, F.Block) ||
       (O.Place != None && Shapes.hasNewKey(F.Function, O.Place))))
    return;
  // The function also sets the flag or the version that makes the program
  // capture again.
  if (Rel.bits(F.Function) & Relevance::SetsRecord)
    return;
  Change C{L, O.Range, F.Function, 0, O.Kind == OpKind::Modify, V, Again};
  // A method of an object that is a member of another.
  if (F.CallSite && F.Parent && !Table.info(F.Function).Class.empty() &&
      D.at(L).Kind == LocKind::Field &&
      D.at(D.at(L).A).Kind == LocKind::Field) {
    C.Call = F.CallSite->Range;
    C.CallIn = F.Parent->Function;
  }
  if (const catalogue::Entry *E =
          O.Kind == OpKind::Call && Old == None && O.Callee != None
              ? Rel.entryFor(O.Callee)
              : nullptr) {
    C.Container = true;
    C.Adds = E->arg("keeps").has_value();
  }
  if (O.Value != None && O.Kind == OpKind::Assign && isInput(L))
    for (const Inputs::Input &I : Inputs(W, Use.Calls).of(F, O.Value, S)) {
      C.From.push_back(I.Place);
      C.Lossy |= I.Lossy;
    }
  for (const Frame *A = &F; A && A->CallSite; A = A->Parent)
    C.Via.push_back(A->CallSite->Range.Begin);
  const bool Visited = isOfVisitedObject(D, F, O.Place, L);
  for (const FactMap::Item &I : FactMap(S.Captured)) {
    C.Of = I.Key;
    C.Renews = false;
    if (I.Key != Earlier) {
      // The capturing function stores the values of the graph.
      if (isOfParameter(*F.Graph, O.Value) &&
          Result.Captures[I.Key].Home == F.Function)
        continue;
      if ((Visited && (I.Data & OfOtherElement)) || Made.fills(F, L, I.Key))
        continue;
      if (isInput(L) && !isPassing(F, L)) {
        C.Renews = Renewed.isAround(F, I.Key);
        note(S, C);
      }
      continue;
    }
    // The contents of the root's object or of a global persist between calls.
    LocKind K = D.at(L).Kind;
    bool Lasts = Root == LocKind::Global || Root == LocKind::Pointee;
    if (Lasts && K != LocKind::Pointee && !stateName(L).empty() &&
        differsNextCall(V))
      note(S, C);
  }
}

ChangeModel::Outputs ChangeModel::outputsOf(const Call &C,
                                            const State &S) const {
  Outputs Result;
  if (S.Captured.empty() || !S.Active.empty())
    return Result;
  for (unsigned I = 0; I < C.Args.size() && I < C.O.Args.size(); ++I)
    if (C.O.Args[I].Written && D[C.Args[I]].Kind == ValueKind::Addr)
      Result.push_back({D[C.Args[I]].A, read(D, S, D[C.Args[I]].A)});
  return Result;
}

void ChangeModel::writtenBy(const Call &C, State &S, const Outputs &Before) {
  for (auto [L, Old] : Before) {
    written(C.F, C.O, S, L, Old, read(D, S, L));
    for (unsigned I = 0; I < C.Args.size() && I < C.O.Args.size(); ++I)
      if (D[C.Args[I]].Kind == ValueKind::Addr && D[C.Args[I]].A == L)
        noteElement(C.F, S, C.O.Args[I].Value, L, read(D, S, L));
  }
}

/// True if the program stores the number of captured elements of the container
/// at \p L.
bool ChangeModel::isSizeRecorded(LocId L) const {
  const WriteSummary *Writes = Rel.writes(stateName(L));
  return Writes && Writes->SizeRecorded;
}

void ChangeModel::after(Call &C, State &S) {
  // A container has different elements, or a different number of them.
  ValueId Container = C.arg("storage");
  if (Container == None)
    Container = C.arg("adds");
  if (Container == None)
    Container = C.arg("removes");
  if (Container != None && D[Container].Kind == ValueKind::Addr &&
      !(C.arg("removes") == None && isSizeRecorded(D[Container].A)))
    written(C.F, C.O, S, D[Container].A, None, D.opaque(C.Site));
  if (S.Failing || !S.Active.empty())
    return;
  if (C.Api.has(catalogue::Trait::Table))
    filed(C, S);
  if (C.Api.Does == catalogue::Effect::GraphLaunch)
    launched(C, S);
  if (C.Api.Does == catalogue::Effect::GraphDestroy) {
    eachGraph(D, held(S, C.arg("graph")),
              [&](CaptureId X) { S.Executable.erase(X); });
    gaveUp(S);
  }
  if (C.Api.Does == catalogue::Effect::GraphUpdate ||
      (C.Api.Does == catalogue::Effect::GraphManagement &&
       C.arg("node") != None))
    updated(C, S);
  if (C.Api.has(catalogue::Trait::Destroys))
    dropped(C, S);
}

void ChangeModel::captureBegan(Frame &F, const Op &, State &S) {
  CaptureId Begun = S.Active.empty() ? Earlier : S.Active.back();
  if (Begun != Earlier) {
    Renewed.note(F, Begun);
    Capturing.note(F, S, Begun);
  }
  auto Replaced = [&](CaptureId C) {
    return C == Earlier || W.sameCapture(C, Begun);
  };
  for (FactMap State::*Field : {&State::Captured, &State::Executable})
    (S.*Field).eraseIf([&](const FactMap::Item &I) { return Replaced(I.Key); });
  S.Changes.eraseIf(
      [&](const FactMap::Item &I) { return Replaced(Changes[I.Key].Of); });
  settle(S);
}

void ChangeModel::captureEnded(State &S, CaptureId C) {
  S.Captured.set(C, 0);
  settle(S);
}

/// True if the write at \p Where in \p G changes the object to which the first
/// parameter points.
static bool isOfFirstParameter(const FlowGraph &G, Span Where) {
  auto IsOfFirst = [&](ExprId Place) {
    while (Place != None && G.Exprs[Place].Kind == ExprKind::Field)
      Place = G.Exprs[Place].A;
    if (Place == None || G.Exprs[Place].Kind != ExprKind::Deref)
      return false;
    const Expr &Pointer = G.Exprs[G.Exprs[Place].A];
    return Pointer.Kind == ExprKind::Load &&
           G.Exprs[Pointer.A].Kind == ExprKind::Var &&
           G.Exprs[Pointer.A].N == 0;
  };
  return llvm::any_of(G.Blocks, [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      return O.Range.Begin == Where.Begin && IsOfFirst(O.Place);
    });
  });
}

/// True if \p C happens between the capture that created the node \p K and a
/// launch.
bool ChangeModel::concerns(const Retained &K, const Change &C) const {
  // Memory that is replaced together with a key, such as its capacity, changes
  // only with the key.
  if (K.Use.IsPointer && C.In != None && Rel.bits(C.In) & Relevance::SetsKey)
    return false;
  if (C.In != None && Rel.tables().haveOtherObjects(C.In, K.At.Function) &&
      isOfFirstParameter(*Table.graph(C.In), C.Where))
    return false;
  return C.Of == Earlier || C.Of == K.Capture;
}

} // namespace cudagraph
