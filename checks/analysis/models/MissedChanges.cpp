//===- MissedChanges.cpp - Changes that a launch misses -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a node retains the value of a place and the place changes before a launch,
// this file determines whether the launch uses the old value. See
// ChangeModel.h.
//
//===----------------------------------------------------------------------===//

#include "ChangeModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// True unless each value that \p Exec may have is null or an executable graph
/// whose creation the walk has seen.
static bool mayBeOld(const Domain &D, ValueId Exec) {
  bool Old = false;
  D.visitTree(Exec, [&](ValueId Part) {
    ValueKind K = D[Part].Kind;
    Old |= K == ValueKind::Phi ? D.overflowed(Part)
                               : K != ValueKind::Exec && !D.asInt(Part);
  });
  return Old;
}

void ChangeModel::launched(const Call &At, State &S) {
  if (S.Changes.empty())
    return;
  ValueId Exec = At.arg("graph");
  // A library object that contains a graph.
  if (Exec != None && D[Exec].Kind == ValueKind::Addr)
    Exec = read(D, S, D.slotOf(Slot::CapturedGraph, D[Exec].A));
  llvm::SmallVector<CaptureId, 2> Of;
  bool Old = Exec == None || D[Exec].Kind != ValueKind::Exec;
  if (Exec != None) {
    if (D[Exec].Kind == ValueKind::Phi && !D.candidates(Exec).empty())
      Old = mayBeOld(D, Exec);
    eachGraph(D, Exec, [&](CaptureId C) { Of.push_back(C); });
  }
  noteTables(S, Of);
  // Selecting the graph to launch does not change the launched graph. Each
  // object has its own graph, and a variable may select the object.
  Inputs::Places Selects, SelectObject;
  if (std::optional<unsigned> I = At.indexOf("graph"); I && At.O.arg(*I)) {
    ExprId Given = At.O.arg(*I)->Value;
    Selects = Inputs(W, Use.Calls).of(At.F, Given, S);
    const FlowGraph &G = *At.F.Graph;
    if (Given != None && G.Exprs[Given].Kind == ExprKind::Load)
      llvm::copy_if(Inputs(W, Use.Calls).ofAddress(At.F, G.Exprs[Given].A, S),
                    std::back_inserter(SelectObject),
                    [](const Inputs::Input &I) { return !I.Lossy; });
  }
  for (const Frame *A = &At.F; A->Parent && A->CallSite; A = A->Parent)
    if (A->CallSite->Object != None)
      llvm::append_range(
          SelectObject,
          Inputs(W, Use.Calls).ofAddress(*A->Parent, A->CallSite->Object, S));
  const Renewals::Blocks Blocks = Renewals::blocksOf(At.F);
  for (const FactMap::Item &I : S.Changes) {
    const Change &C = Changes[I.Key];
    // The variables of a call that has returned.
    if (const LocNode Root = D.at(D.root(C.At));
        Root.Kind == LocKind::Var && !C.Passed && !At.F.isIn(Root.A))
      continue;
    if (llvm::any_of(Selects, [&](const Inputs::Input &I) {
          // mayBeChosenBy() examines keys that several values share.
          bool Shared =
              I.Lossy && !Nodes.InTables.empty() && stateName(C.At).empty();
          // A size does not depend on the contents.
          if (I.Extent && !I.ByKey && isElementOf(D, C.At, I.Place))
            return false;
          return !Shared && overlap(D, I.Place, C.At) &&
                 !isMemberOf(D, I.Place, C.At);
        }))
      continue;
    if (D.at(C.At).Kind == LocKind::Var &&
        llvm::any_of(SelectObject,
                     [&](const Inputs::Input &I) { return I.Place == C.At; }))
      continue;
    // A graph with the same key must be one that this table contains.
    bool Mine = C.Of != EarlierCapture && llvm::is_contained(Of, C.Of);
    if (Mine || (Old && !C.SameKey))
      Launches.try_emplace(
          I.Key, Launch{At.O.Range, At.F.Function, read(D, S, C.At), Blocks});
  }
}

/// True if \p L is a variable of a function that the region of \p K called. A
/// later call has a new variable.
static bool hasEnded(const Walk &W, const Retained &K, LocId L) {
  const LocNode Root = W.D.at(W.D.root(L));
  return Root.Kind == LocKind::Var &&
         Root.A != W.Result.Captures[K.Capture].Home &&
         llvm::any_of(K.At.Chain, [&](const ChainStep &Step) {
           return Step.Callee == Root.A;
         });
}

/// True if \p Now, the contents of a place at a launch, may be \p To, which was
/// written after the capture, although it looks like an earlier value. Values
/// that meet again at the same join, and memory that the same call allocates
/// again, look the same.
static bool mayBeWritten(const Domain &D, ValueId To, ValueId Now) {
  bool IsMemory = To != None && D[To].Kind == ValueKind::Memory;
  if (To == None || To == Now || (D[Now].Kind != ValueKind::Phi && !IsMemory))
    return false;
  // The number that identifies memory changes when its function returns. A phi
  // that no longer counts its values may be any of them.
  bool Met = D.overflowed(Now);
  D.visitTree(Now, [&](ValueId Part) {
    Met |= Part == To || (IsMemory && D[Part].Kind == ValueKind::Memory);
  });
  return Met;
}

/// True if only one side of the branch at \p Cond, in \p G, does work, and one
/// makes the change at \p Where: an initialization sets its own condition.
static bool isOnOneSide(GraphShapes &Shapes, const FlowGraph &G, Span Cond,
                        Span Where) {
  for (unsigned At = 0; At < G.Blocks.size(); ++At) {
    if (G.Blocks[At].CondRange.Begin != Cond.Begin)
      continue;
    const BranchPair &Two = Shapes.branchesOf(G, At);
    if (!Two.First[0] == !Two.First[1])
      continue;
    for (const std::vector<unsigned> &Side : Two.Blocks)
      for (unsigned Block : Side)
        if (llvm::any_of(G.Blocks[Block].Ops, [&](const Op &O) {
              return O.Range.Begin == Where.Begin;
            }))
          return true;
  }
  return false;
}

/// True if the node \p K, which received the contents of \p Input, misses \p C.
bool ChangeModel::isStale(const Retained &K, const Retained::Input &From,
                          unsigned Id, const Launch &At) const {
  const Change &C = Changes[Id];
  LocId Input = From.Place;
  if (K.Use.As == RetainedAs::Branch && C.In == K.At.Function && !C.Passed &&
      isOnOneSide(Shapes, *Table.graph(C.In), K.At.Range, C.Where))
    return false;
  // The contents of a container's elements do not determine their number.
  if (From.Extent && !From.ByKey && Input != C.At &&
      !isMemberOf(D, Input, C.At) &&
      (D.at(C.At).Kind == LocKind::Elem ||
       nameOfPlace(D, C.At) != nameOfPlace(D, Input)))
    return false;
  // An address does not depend on the contents of the memory.
  if (K.Use.IsPointer &&
      (isElementOf(D, C.At, Input) || D.root(Input) == D.pointee(K.Value)))
    return false;
  // The pointer is in another member of the object.
  auto IsWhole = [&](LocId L) {
    return llvm::any_of(K.Inputs, [&](const Retained::Input &I) {
      return I.Place != None && isMemberOf(D, I.Place, L);
    });
  };
  if (K.Use.IsPointer && IsWhole(Input) && isMemberOf(D, C.At, Input) &&
      llvm::none_of(K.Inputs, [&](const Retained::Input &I) {
        return I.Place != None && isMemberOf(D, I.Place, Input) &&
               overlap(D, I.Place, C.At) && !IsWhole(I.Place);
      }))
    return false;
  // If other elements are added, an element found by a key does not change.
  bool Element = isElementOf(D, Input, C.At, /*Perhaps=*/From.ByKey);
  if (C.Adds && (Element || (From.ByKey && Input == C.At)))
    return false;
  // An address that captured code has taken out of a pool belongs to it.
  if (K.Use.IsPointer && Element && C.Container && W.isInRegion(C.In))
    return false;
  // Another call takes a different address out of the pool.
  if (K.Use.IsPointer && From.TakenAt &&
      !llvm::is_contained(C.Via, From.TakenAt))
    return false;
  // Neither allocated memory nor a lent slot depends on what is left there.
  llvm::StringRef Left = stateName(C.At);
  const ValueNode Kept = D[K.Value];
  if (K.Use.IsPointer && C.Container && Kept.Kind == ValueKind::Memory &&
      Kept.B != TakenMemory && Shapes.Pools.contains(Left))
    return false;
  if (llvm::any_of(K.Slots, [&](ValueId Slot) {
        return llvm::is_contained(Nodes.Lent.find(Slot)->second->Pools, Left);
      }))
    return false;
  bool ByReference = C.Passed && llvm::is_contained(From.Passed, C.At);
  if (From.Own || (!ByReference && !overlap(D, Input, C.At)) ||
      hasEnded(W, K, Input) || llvm::any_of(Nodes.UpdatedPlaces, [&](LocId L) {
        return overlap(D, L, Input);
      }))
    return false;
  llvm::StringRef Name = stateName(C.At);
  const WriteSummary *Writes = Name.empty() ? nullptr : Rel.writes(Name);
  if (Writes && (Writes->IsKey || Writes->Updated))
    return false;
  // One of several graphs may be for this value.
  if ((K.Use.IsPointer || Name.empty() || C.Passed) &&
      mayBeChosenBy(K, From, C))
    return false;
  if (C.Passed && Name.empty() && (isKeyed(Input) || isKeyed(C.At)))
    return false;
  if (C.Passed && !Name.empty() && !hasKnownKey(W, Nodes, K) && isKeyed(C.At))
    return false;
  // It was restored to the value that it had at a capture before the change. A
  // pointer to the object that contains the input is also an input.
  const Retained::Input *Changed = &From;
  if (Input != C.At)
    Changed = llvm::find_if(
        K.Inputs, [&](const Retained::Input &I) { return I.Place == C.At; });
  bool Other = Changed == K.Inputs.end();
  // The variable may still point to the same object.
  if (Other && D.at(C.At).Kind == LocKind::Var &&
      D[At.Now].Kind == ValueKind::Memory)
    return false;
  bool Back = !Other && llvm::any_of(Changed->AtEnd, [&](auto Each) {
    return Each.first == At.Now && Each.second <= Id;
  });
  if (Back && mayBeWritten(D, C.To, At.Now))
    Back = llvm::any_of(Changes, [&](const Change &Each) {
      return Each.At == C.At && Each.To == At.Now;
    });
  // The contents of a container are not part of a state.
  return (Other && !ByReference) || !Back || C.Of == EarlierCapture ||
         C.Again || C.Passed || C.Container || differsNextCall(At.Now) ||
         Renewed.differs(At.Now, K.Capture, At.Blocks);
}

void ChangeModel::report(const Retained &K, LocId Input, const Change &C,
                         const Launch &At) {
  Fact R = K.At;
  bool Branch = K.Use.As == RetainedAs::Branch;
  VaryingValue &Value = becomeVarying(R, K);
  Value.Name = W.nameOf(Input);
  bool Member = !stateName(C.At).empty() && !C.Passed;
  Value.Why = !Member   ? Variation::Changed
              : C.Steps ? Variation::HostState
                        : Variation::Setter;
  Value.Where = C.Where;
  Value.In = C.In;
  if (Member) {
    Value.Call = C.Call;
    Value.CallIn = C.CallIn;
  } else {
    Value.Launch = At.Where;
    Value.LaunchIn = At.In;
  }
  R.restOn(!Branch              ? Evidence::VaryingValue
           : Member || C.Passed ? Evidence::VaryingBranch
                                : Evidence::ParameterAddress);
  if (K.Use.IsPointer && C.Of == EarlierCapture && !C.Steps)
    R.restOn(Evidence::ParameterAddress);
  Facts.record(std::move(R));
}

void ChangeModel::conclude() {
  for (const Retained &K : Nodes.Arguments) {
    if (K.Use.As == RetainedAs::UserData || isFresh(W, Nodes, K.Capture))
      continue;
    for (const Retained::Input &I : K.Inputs) {
      if (W.isSpent())
        return;
      W.Steps += Launches.size() / 64; // comparisons count as work
      auto Found = llvm::find_if(Launches, [&](const auto &Each) {
        const Change &C = Changes[Each.first];
        return concerns(K, C) && isStale(K, I, Each.first, Each.second);
      });
      if (Found == Launches.end())
        continue;
      report(K, I.Place, Changes[Found->first], Found->second);
      break;
    }
  }
}

} // namespace cudagraph
