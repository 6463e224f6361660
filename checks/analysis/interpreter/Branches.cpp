//===- Branches.cpp - Branches and joins of paths -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The edges of a block that a state takes, and the facts it gains.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

/// A number for the joins at block \p To. The contents of an object during a
/// capture and outside captures are different values: the iterations of a loop
/// that begin, continue, and end a capture each have their own.
static int64_t siteOfJoin(FunctionId F, unsigned To, const State &S) {
  int64_t Site = Domain::site(F, To, Domain::JoinTag);
  for (CaptureId C : S.Active)
    Site ^= static_cast<int64_t>(C + 1) * Domain::MaxJoinBlocks << 4;
  return Site;
}

/// True if one of \p X and \p Y has failed during a capture, and \p F returns a
/// number to report the failure, which the caller tests.
bool Interpreter::failsApart(const State &X, const State &Y, FunctionId F) {
  if (X.Failing == Y.Failing || X.Active.empty())
    return false;
  LocId Ret = D.loc(LocKind::Return, 0, F);
  std::optional<unsigned> A = X.Mem.lookup(Ret), B = Y.Mem.lookup(Ret);
  return A && B && *A != *B && D.asInt(X.Failing ? *A : *B);
}

/// Moves \p S along the edge \p E. Records the location if only the other edges
/// lead to the end of the capture, and the condition is independent of whether
/// there is a capture: it depends on later events, or every path to
/// it begins the capture.
void Interpreter::noteParting(Activation &A, const Edge &E, const State &S) {
  const FlowGraph &G = *A.F.Graph;
  if (S.Active.empty() || !(Rel.bits(A.F.Function) & Relevance::Ends) ||
      G.Blocks[A.F.Block].Succs.size() < 2 || !Shapes.endsAfter(G, A.F.Block) ||
      Shapes.endsAfter(G, E.To))
    return;
  const CaptureRecord &R = Result.Captures[S.Active.back()];
  bool Always = R.Home == A.F.Function && R.HomeBlock != A.F.Block &&
                Shapes.isOnlyAfter(G, R.HomeBlock, A.F.Block);
  if (S.Failing || Always || Calls.Models.Captures.asksForLaterCall(A.F, S))
    A.Left.Partings.try_emplace(S.Active.back(), branchAt(G, A.F.Block, E.To));
}

static Widen widenAfter(unsigned Visits) {
  if (Visits > WidenMembersAfter)
    return Widen::Everything;
  return Visits > WidenAfter ? Widen::AllButNumbersOfMembers : Widen::Nothing;
}

/// Joins two of \p All that differ only in what has changed since a capture.
/// \returns false if there are none.
static bool joinTwo(Domain &D, States &All, int64_t Site, uint64_t &Steps) {
  for (auto I = All.begin(); I != All.end(); ++I)
    for (auto J = std::next(I); J != All.end(); ++J)
      if (I->sameButChanges(*J)) {
        join(D, *I, *J, Site, Widen::Nothing, Steps);
        All.erase(J);
        return true;
      }
  return false;
}

void Interpreter::enqueue(Activation &A, unsigned To, const State &S) {
  bool Returns = To == A.F.Graph->Exit;
  int64_t Site = siteOfJoin(A.F.Function, To, S);
  auto JoinOne = [&](bool (State::*Fits)(const State &) const) {
    for (State &Old : A.In[To])
      if ((Old.*Fits)(S) && !(Returns && failsApart(Old, S, A.F.Function))) {
        if (join(D, Old, S, Site, widenAfter(A.Visits[To]), W.Steps))
          A.Work.insert(To);
        return true;
      }
    return false;
  };
  if (JoinOne(&State::sameKey))
    return;
  auto Like = [&](const State &Old) { return Old.sameButChanges(S); };
  if ((llvm::count_if(A.In[To], Like) >= MaxChangedStates ||
       A.In[To].size() >= MaxStates) &&
      JoinOne(&State::sameButChanges))
    return;
  if (A.In[To].size() >= MaxStates && !joinTwo(D, A.In[To], Site, W.Steps)) {
    Result.BudgetExceeded = true;
    // Keep the states with fewer captures, because they make fewer claims.
    auto Most = llvm::max_element(A.In[To], [](const State &X, const State &Y) {
      return X.Active.size() < Y.Active.size();
    });
    if (Most->Active.size() > S.Active.size()) {
      *Most = S;
      A.Work.insert(To);
    }
    return;
  }
  A.In[To].push_back(S);
  A.Work.insert(To);
}

/// True if \p V is the result of a library, or is computed from one.
static bool isFromLibrary(const Domain &D, ValueId V) {
  bool Asked = false;
  D.visitTree(V, [&](ValueId Part) {
    Asked |= D[Part].Kind == ValueKind::Op && D.text(D[Part].S) == "library";
  });
  return Asked;
}

/// Moves \p From along the edge \p E.
void Interpreter::follow(Activation &A, const Edge &E, const State &From) {
  std::optional<State> Turned = turned(A, E, From);
  keepJoins(A, E, From, Turned);
  const State &S = Turned ? *Turned : From;
  if (E.To <= A.F.Block && nextRound(A, E.To, S))
    return;
  if (E.To > A.F.Block)
    A.Counted.erase(E.To); // it begins again
  // The loop runs at least once, so conditions that its first iteration
  // determines are known afterwards.
  if (E.To <= A.F.Block && A.runsOnce(E.To, S.Active) &&
      A.Iterated[E.To].insert(S.Active).second) {
    auto IsEarlier = [&](const State &Old) { return Old.Active == S.Active; };
    llvm::erase_if(A.In[E.To], IsEarlier);
    if (!A.Loops->count(E.To))
      for (unsigned B = E.To + 1; B <= A.F.Block; ++B)
        llvm::erase_if(A.In[B], IsEarlier);
  }
  if (E.To <= A.F.Block && A.Forks->count(E.To))
    noteRound(A, E.To, S);
  // If the loop surely runs, no state without its accesses leaves it.
  if (E.To <= A.F.Block && !S.Active.empty() &&
      A.Entered[E.To].insert(S.Active).second)
    for (State &Old : A.In[E.To])
      if (Old.sameKey(S)) {
        Old.Writers = S.Writers;
        Old.Readers = S.Readers;
        Old.Reached = S.Reached;
      }
  bool Apart = E.To <= A.F.Block && llvm::any_of(A.In[E.To], [&](State &Old) {
                 return !Old.sameKey(S);
               });
  if (!Apart)
    return enqueue(A, E.To, S);
  // The state is kept separate from those that enter the loop. The result of a
  // library call in the last iteration, such as whether there are more
  // elements, may differ in the next one.
  State Next = S;
  auto FromLibrary = [&](const FactMap::Item &I) {
    return isFromLibrary(D, I.Key);
  };
  Next.Facts.eraseIf(FromLibrary);
  Next.Equal.eraseIf(FromLibrary);
  enqueue(A, E.To, Next);
}

/// True if \p E, a condition of \p G, tests the result of call number \p Index.
static bool asksFor(const FlowGraph &G, ExprId E, int64_t Index,
                    unsigned Depth = 0) {
  if (E == None || Depth > 8)
    return false;
  const Expr &X = G.Exprs[E];
  return (X.Kind == ExprKind::Result && X.N == Index) ||
         asksFor(G, X.A, Index, Depth + 1) || asksFor(G, X.B, Index, Depth + 1);
}

/// Returns true if \p O passes the result of the begin call to a function that
/// translates it. Records the location at which a failure branches off.
bool Interpreter::passesBegin(const Frame &F, const Op &O, State &S) {
  const Block &B = F.Graph->Blocks[F.Block];
  if (O.Kind != OpKind::Call || S.Active.empty() ||
      llvm::none_of(B.Succs, [](const Edge &E) { return E.Failure; }) ||
      !asksFor(*F.Graph, B.Cond, O.ResultIndex))
    return false;
  int64_t Begin = Result.Captures[S.Active.back()].BeginResult;
  bool Found = false;
  for (const CallArg &Arg : O.Args)
    D.visitTree(Calls.Values.eval(F, Arg.Value, S), [&](ValueId V) {
      Found |= D[V].Kind == ValueKind::Status && D[V].N == Begin;
    });
  return Found;
}

/// Sets \p Next to the state after edge \p E of \p B, on the condition \p Cond,
/// whose value is \p Known if known. \returns false if the edge is not taken.
bool Interpreter::assumeEdge(Activation &A, const Block &B, const Edge &E,
                             ValueId Cond, std::optional<bool> Known,
                             const State &S, State &Next) {
  if (E.When == EdgeKind::Case) {
    ValueId Equals = D.apply("==", Cond, D.integer(E.Case));
    if (truth(D, S, Equals) == false)
      return false;
    assume(D, Next, Equals, true);
    return true;
  }
  if (E.When == EdgeKind::Default) {
    for (const Edge &Other : B.Succs)
      if (Other.When == EdgeKind::Case)
        assume(D, Next, D.apply("==", Cond, D.integer(Other.Case)), false);
    return true;
  }
  bool Truth = E.When == EdgeKind::True;
  noteEqual(A.F, B.Cond, Truth, Next);
  noteSame(Cond, Truth, Next);
  if (Known && *Known != Truth) {
    if (E.Failure && !A.OfBegin)
      Calls.Models.Captures.noteFailureExit(A.F, S, Cond, E.To);
    return false;
  }
  // The test for more elements is new in the next iteration, and in the next
  // loop.
  if (!isFromLibrary(D, Cond) || !isLoopHead(*A.F.Graph, A.F.Block))
    assume(D, Next, Cond, Truth);
  if (!Known && !S.Active.empty() && Shapes.asksForRecord(A.F.Function, B.Cond))
    Next.Guards.set(Cond, Truth);
  // Code that requires one tensor on the host may use others on the device. A
  // branch with two possible results represents this.
  bool Decides = !B.Partial && llvm::none_of(B.Succs, [&](const Edge &X) {
    return X.To != E.To && A.F.Graph->Blocks[X.To].NeverReturns;
  });
  LocId HostPath = D.slot(Slot::HostPath);
  if (Decides)
    return true;
  if (std::optional<unsigned> Before = S.Mem.lookup(HostPath))
    Next.Mem.set(HostPath, *Before);
  else
    Next.Mem.erase(HostPath);
  return true;
}

/// True if \p V is one of several numbers, each of which has a case in \p B.
static bool hasCaseForAll(const Domain &D, const Block &B, ValueId V,
                          unsigned Depth) {
  if (std::optional<int64_t> N = D.asInt(V))
    return llvm::any_of(B.Succs, [&](const Edge &E) {
      return E.When == EdgeKind::Case && E.Case == *N;
    });
  if (D[V].Kind != ValueKind::Phi || Depth > 2)
    return false;
  llvm::ArrayRef<ValueId> All = D.candidates(V);
  return !All.empty() && llvm::all_of(All, [&](ValueId C) {
    return hasCaseForAll(D, B, C, Depth + 1);
  });
}

void Interpreter::branch(Activation &A, State &S, const Block &B) {
  Frame &F = A.F;
  ModelSet &Models = Calls.Models;
  ValueId Cond = B.Cond == None ? None : Calls.Values.eval(F, B.Cond, S);
  // Results that no other block uses are no longer needed.
  S.Mem.eraseIf([&](const Memory::Item &I) {
    const LocNode L = D.at(I.Key);
    return L.Kind == LocKind::Result && L.A == F.Function &&
           !F.Graph->LiveResults[L.N];
  });
  if (Cond == None) {
    for (const Edge &E : B.Succs)
      follow(A, E, S);
    return;
  }
  if (S.Active.empty()) {
    Models.Graphs.noteKeys(S, Cond);
    Models.Steps.noteDecision(F, S, B.Cond, B.CondRange);
  } else if (Models.Branches.noteWait(F, S, B)) {
    // A wait does not select work.
  } else if (llvm::any_of(B.Succs, [](const Edge &E) {
               return E.When == EdgeKind::Case;
             })) {
    if (Shapes.casesDiffer(*F.Graph, F.Block) && !S.Failing) {
      Op Where;
      Where.Range = B.CondRange;
      Models.Retained.retainBranch(F, Where, S, Cond, B.Cond, "switch");
    }
  } else if (const BranchPair *Two = Models.Branches.note(F, S, B, Cond)) {
    if (Two->differ() || Models.Branches.steers(*F.Graph, F.Block)) {
      Op Where;
      Where.Range = B.CondRange;
      Models.Retained.retainBranch(F, Where, S, Cond, B.Cond,
                                   Two->IsLoop ? "loop" : "");
    }
    Models.Branches.noteLazy(F, S, B, Cond, *Two);
  }
  if (!S.Active.empty())
    Models.Steps.noteLoop(F, S);
  std::optional<bool> Known = truth(D, S, Cond);
  if (Known)
    Models.Captures.noteAsked(F, S, Cond);
  // The begin call succeeds, regardless of the name of its result.
  auto OfBegin = [&](CaptureId C) {
    return isStatusOf(D, Cond, Result.Captures[C].BeginResult) == true;
  };
  if (!Known && (A.OfBegin || (!S.Active.empty() && OfBegin(S.Active.back()))))
    for (const Edge &E : B.Succs)
      if (E.Failure)
        Known = E.When != EdgeKind::True;
  // Code that waits for another thread waits in a loop.
  if (A.Forced && !loopsAround(*F.Graph, F.Block).empty())
    Known.reset();
  auto Few = A.Counted.find(F.Block);
  if (Few != A.Counted.end())
    Known = Few->second.Index < Few->second.Count;
  bool CaseTaken = hasCaseForAll(D, B, Cond, 0);
  CaseTaken |= llvm::any_of(B.Succs, [&](const Edge &E) {
    return E.When == EdgeKind::Case &&
           truth(D, S, D.apply("==", Cond, D.integer(E.Case))) == true;
  });
  // Only states that have completed an iteration of a capturing loop leave it.
  bool Stay = false;
  if (A.runsOnce(F.Block, S.Active) && !A.Released.count(F.Block)) {
    auto Seen = A.Iterated.find(F.Block);
    Stay = Seen == A.Iterated.end() || !Seen->second.count(S.Active);
  }
  Stay |= !S.Active.empty() && Few == A.Counted.end() &&
          A.Forks->count(F.Block) && !A.Released.count(F.Block) &&
          A.Rounds[F.Block].Count < FullRounds;
  noteUnwalked(A, S, B, Cond, Known);
  for (const Edge &E : B.Succs) {
    // The exit of a `for` or `while` is its false edge.
    if (Stay && E.When == EdgeKind::False)
      continue;
    if (CaseTaken && E.When == EdgeKind::Default)
      continue;
    State Next = S;
    if (!assumeEdge(A, B, E, Cond, Known, S, Next))
      continue;
    if (E.Failure && !Known)
      Next.Failing = true;
    noteParting(A, E, Next);
    follow(A, E, Next);
  }
}

} // namespace cudagraph
