//===- Rounds.cpp - Loops with few iterations -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of an iteration of a loop over an array of streams or events
// determines which of them the iteration uses, such as one of two events for
// each of four streams, or a neighbor. If the first and the last number are
// known and there are few iterations, each is walked separately. It is not
// joined with earlier iterations, and the objects that it creates are distinct
// from those of other iterations.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "analysis/program/CountedLoops.h"
#include "analysis/program/ElementLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// The number \p V, or the number of the element to which it points, in the
/// array \p Of.
static std::optional<int64_t> positionOf(const Domain &D, ValueId V,
                                         LocId &Of) {
  if (std::optional<int64_t> N = D.asInt(V)) {
    Of = None;
    return N;
  }
  if (D[V].Kind != ValueKind::Addr)
    return std::nullopt;
  const LocNode L = D.at(D[V].A);
  if (L.Kind != LocKind::Elem || L.B == None)
    return std::nullopt;
  Of = L.A;
  return D.asInt(L.B);
}

/// The number of iterations of the loop at whose head \p A is, in the state \p
/// S, if it is known, and not too large.
std::optional<uint64_t> Interpreter::roundsFrom(const Activation &A, State &S) {
  const FlowGraph &G = *A.F.Graph;
  Evaluator &Values = Calls.Values;
  if (std::optional<CountedLoop> Loop = countedLoop(G, A.F.Block)) {
    LocId First = None, Last = None;
    std::optional<int64_t> From =
        positionOf(D, read(D, S, Values.evalPlace(A.F, Loop->Var, S)), First);
    std::optional<int64_t> To =
        From ? positionOf(D, Values.eval(A.F, Loop->Bound, S), Last)
             : std::nullopt;
    if (To && First == Last)
      return Loop->rounds(*From, *To);
  }
  std::optional<SteppedLoop> Loop = steppedLoop(G, A.F.Block);
  if (!Loop)
    return std::nullopt;
  State Next = S;
  LocId Var = Values.evalPlace(A.F, Loop->Var, Next);
  for (unsigned Round = 0; Round <= MaxFewRounds; ++Round) {
    std::optional<bool> Goes =
        truth(D, Next, Values.eval(A.F, G.Blocks[A.F.Block].Cond, Next));
    if (!Goes)
      return std::nullopt;
    if (!*Goes)
      return Round;
    ValueId V = Values.eval(A.F, Loop->Next, Next);
    if (!D.asInt(V))
      return std::nullopt;
    assign(D, Next, Var, V);
  }
  return std::nullopt;
}

/// Called when \p A reaches the head of a loop in the states \p Current. Counts
/// the iterations if they are to be walked separately. The loop is reached in
/// one state; its iterations may begin captures under a condition.
void Interpreter::countRounds(Activation &A, States &Current) {
  const FlowGraph &G = *A.F.Graph;
  unsigned Head = A.F.Block;
  if (auto It = A.Counted.find(Head); It != A.Counted.end()) {
    It->second.Pending = false;
    return;
  }
  if (A.RoundsMade > MaxRoundsMade || Current.size() != 1)
    return;
  State &S = Current.front();
  const std::set<unsigned> &Few = Shapes.handlingLoops(A.F.Function, G);
  if (!Few.count(Head) || A.Loops->count(Head))
    return;
  std::optional<uint64_t> Count = roundsFrom(A, S);
  if (Count && *Count > 0 && *Count <= MaxFewRounds)
    A.Counted[Head].Count = static_cast<unsigned>(*Count);
}

/// Handles the return of \p S to \p Head, whose iterations are walked
/// separately. \returns false if they are not.
bool Interpreter::nextRound(Activation &A, unsigned Head, const State &S) {
  auto It = A.Counted.find(Head);
  if (It == A.Counted.end())
    return false;
  Activation::FewRounds &R = It->second;
  if (R.Pending) {
    enqueue(A, Head, S); // another path back
    return true;
  }
  // Facts about this iteration do not apply to the next one.
  State Next = S;
  const States &Before = A.In[Head];
  auto Known = [&](FactMap State::*Field, const FactMap::Item &I) {
    return llvm::all_of(Before, [&](const State &Old) {
      std::optional<unsigned> Data = (Old.*Field).lookup(I.Key);
      return Data && *Data == I.Data;
    });
  };
  for (FactMap State::*Field : {&State::Facts, &State::Equal})
    (Next.*Field).eraseIf([&](const FactMap::Item &I) {
      return !Known(Field, I);
    });
  ++R.Index;
  ++A.RoundsMade;
  R.Last = A.F.Block;
  R.Pending = true;
  for (unsigned B = Head; B <= A.F.Block; ++B) {
    A.In[B].clear();
    A.Visits[B] = 0;
    if (B > Head)
      A.Counted.erase(B);
  }
  A.In[Head].push_back(std::move(Next));
  A.Work.insert(Head);
  return true;
}

/// A number for the current iterations of the loops that contain block \p B; 0
/// if all of them are the first.
uint64_t Interpreter::roundOf(const Activation &A, unsigned B) const {
  uint64_t Round = 0;
  for (auto [Head, R] : A.Counted)
    if (R.Index && Head <= B && B <= R.Last)
      Round = Round * 67 + R.Index;
  return Round;
}

/// Moves \p S along the edge \p E. \returns the new state if the other graphs
/// belong to other elements from then on, see OfOtherElement, or if a loop
/// begins after the program has waited.
std::optional<State> Interpreter::turned(Activation &A, const Edge &E,
                                         const State &S) {
  std::optional<State> Next;
  auto IsSeen = [](const FactMap::Item &I) { return I.Key != EarlierCapture; };
  if (llvm::none_of(S.Captured, IsSeen))
    return Next;
  const FlowGraph &G = *A.F.Graph;
  const bool Back = E.To <= A.F.Block;
  const bool Enters = !Back && isLoopHead(G, E.To);
  llvm::SmallVector<LoopRange, 2> Around;
  if (!Back && !Enters)
    Around = loopsAround(G, A.F.Block);
  const bool Leaves = !Around.empty() && E.To > Around.front().Last;
  if (!Back && !Enters && !Leaves)
    return Next;
  if (Back) {
    auto [It, New] = A.ElementLoops.try_emplace(E.To, false);
    if (New)
      It->second = visitsElements(G, E.To);
    if (!It->second)
      return Next;
  }
  // The program has waited for the launches before the loop, not for those of
  // its iterations.
  auto IsOver = [](const FactMap::Item &I) { return (I.Data & 1) != 0; };
  if (Enters && llvm::any_of(S.RunningEach, IsOver)) {
    Next = S;
    Next->RunningEach.eraseIf(IsOver);
  }
  std::set<CaptureId> &Before = A.CapturedBefore[E.To];
  for (const FactMap::Item &I : S.Captured) {
    if (!IsSeen(I))
      continue;
    if (Enters)
      Before.insert(I.Key);
    unsigned Data = Back
                        ? Before.count(I.Key) ? I.Data : I.Data | OfOtherElement
                        : I.Data & ~OfOtherElement;
    if (Data == I.Data)
      continue;
    if (!Next)
      Next = S;
    Next->Captured.set(I.Key, Data);
  }
  return Next;
}

/// True if \p O ends the object that an owner contains, the loop gives that
/// owner the object that it created last, and both are the same: an earlier
/// iteration created the object for another element.
bool Interpreter::isInOtherElement(Frame &F, const Op &O, State &S) {
  const FlowGraph &G = *F.Graph;
  ExprId Object = O.Value;
  if (Object != None && G.Exprs[Object].Kind == ExprKind::Op &&
      G.Exprs[Object].S == LastOwnerOp)
    Object = G.Exprs[Object].A;
  if (Object == None || G.Exprs[Object].Kind != ExprKind::Load)
    return false;
  const ExprId Owner = G.Exprs[Object].A;
  auto Later = llvm::find_if(G.Blocks[F.Block].Ops, [&](const Op &X) {
    return &X > &O && X.Kind == OpKind::Assign && X.Place == Owner;
  });
  if (Later == G.Blocks[F.Block].Ops.end() ||
      !isOfVisitedElement(G, F.Block, Owner))
    return false;
  ValueId Old = Calls.Values.eval(F, Object, S);
  ValueId New = Calls.Values.eval(F, Later->Value, S);
  return Old == New || (D[Old].Kind == ValueKind::Phi &&
                        llvm::is_contained(D.candidates(Old), New));
}

} // namespace cudagraph
