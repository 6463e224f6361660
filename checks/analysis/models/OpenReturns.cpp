//===- OpenReturns.cpp - Returns that leave a capture open ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that ends a capture on some paths leaks it on paths that leave
// earlier. The capture of a wrapper belongs to its caller.
//
//===----------------------------------------------------------------------===//

#include "CaptureModel.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Cell;
using catalogue::StreamRelation;

/// The calls in \p B, a block of \p G, whose results, converted or not, are
/// operands of its condition.
static llvm::SmallVector<const Op *, 4> callsAskedFor(const FlowGraph &G,
                                                      const Block &B) {
  llvm::SmallVector<const Op *, 4> Found;
  llvm::SmallVector<ExprId, 8> Work{B.Cond};
  llvm::SmallDenseSet<ExprId, 8> Seen;
  while (!Work.empty()) {
    ExprId Id = Work.pop_back_val();
    if (Id == None || !Seen.insert(Id).second)
      continue;
    const Expr &E = G.Exprs[Id];
    Work.append({E.A, E.B, E.C});
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::Assign && E.Kind == ExprKind::Load &&
          O.Place == E.A)
        Work.push_back(O.Value);
      if (O.Kind != OpKind::Call || E.Kind != ExprKind::Result ||
          O.ResultIndex != E.N)
        continue;
      Found.push_back(&O);
      for (const CallArg &A : O.Args)
        Work.push_back(A.Value);
      // The result of a query on an object depends on the arguments of its
      // constructor.
      for (const Op &Made : B.Ops)
        if (Made.Kind == OpKind::Assign && O.Object != None &&
            Made.Place == O.Object)
          Work.push_back(Made.Value);
    }
  }
  return Found;
}

/// True if the condition of the current block of \p F is computed in the block
/// from the status that the begin call of \p R returned, for example by a
/// function that translates it to another status.
bool CaptureModel::comesFromBegin(const Frame &F,
                                  const CaptureRecord &R) const {
  const FlowGraph &G = *F.Graph;
  return llvm::any_of(callsAskedFor(G, G.Blocks[F.Block]), [&](const Op *O) {
    return O->Range.Begin == R.Site.Begin ||
           O->Range.Begin == R.BeginCall.Begin;
  });
}

bool CaptureModel::asksForLaterCall(const Frame &F, const State &S) const {
  const FlowGraph &G = *F.Graph;
  return !comesFromBegin(F, Result.Captures[S.Active.back()]) &&
         llvm::any_of(callsAskedFor(G, G.Blocks[F.Block]), [&](const Op *O) {
           if (O->Callee == None)
             return O->How == Dispatch::Indirect;
           // A predicate may also have determined whether the capture began.
           return (Rel.bits(O->Callee) & Relevance::Works) ||
                  !Table.info(O->Callee).ReturnsFlag;
         });
}

/// True if the condition of \p B, a block of \p F, tests the failure of a
/// function that returns its own errors.
bool CaptureModel::asksForOwnFailure(const Frame &F, const Block &B) const {
  return llvm::any_of(callsAskedFor(*F.Graph, B), [&](const Op *O) {
    return llvm::any_of(calleesByName(Table, *O), [&](FunctionId Each) {
      return failsByItself(Each, 0);
    });
  });
}

/// Examines the path of a failed call, which is not walked, because calls are
/// assumed to succeed. A return there leaves the capture open, unless the call
/// was the begin call itself, or a call on the path ends it.
void CaptureModel::noteFailureExit(Frame &F, const State &S, ValueId Cond,
                                   unsigned To) {
  if (S.Active.empty() || S.Failing)
    return;
  noteModeAfterFailure(F, S, To);
  const unsigned First = To;
  int64_t Begin = Result.Captures[S.Active.back()].BeginResult;
  bool OfBegin = isStatusOf(D, Cond, Begin) == true;
  OfBegin |= comesFromBegin(F, Result.Captures[S.Active.back()]);
  bool ByItself = asksForOwnFailure(F, F.Graph->Blocks[F.Block]);
  for (unsigned Guard = 0; Guard < 8 && !OfBegin; ++Guard) {
    const Block &B = F.Graph->Blocks[To];
    if (B.NeverReturns)
      return;
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::Return)
        return noteOpenReturn(F, O, S,
                              {/*Unwalked=*/true,
                               ByItself,
                               {},
                               None,
                               branchAt(*F.Graph, F.Block, First)});
      if (O.Kind != OpKind::Call || O.Callee == None)
        continue;
      const catalogue::Entry *E = Rel.entryFor(O.Callee);
      if ((E && E->Does == catalogue::Effect::CaptureEnd) ||
          (Rel.bits(O.Callee) & Relevance::Ends))
        return;
    }
    if (B.Succs.size() != 1)
      return;
    To = B.Succs.front().To;
  }
}

void CaptureModel::noteReturn(const Frame &F, const Op &O,
                              const State &S) const {
  noteModeLeft(F, O, S);
  if (!F.Left || !(Rel.bits(F.Function) & Relevance::Ends))
    return;
  if (S.Active.empty())
    F.Left->Closed.insert(O.Range.Begin);
  F.Left->Known[O.Range.Begin][!S.Active.empty()].push_back(S.Facts);
}

void CaptureModel::noteAsked(const Frame &F, const State &S,
                             ValueId Cond) const {
  if (!F.Left || S.Active.empty() ||
      Result.Captures[S.Active.back()].Home != F.Function)
    return;
  while (D[Cond].Kind == ValueKind::Op &&
         (D.text(D[Cond].S) == "!" || D.text(D[Cond].S) == "bool"))
    Cond = D[Cond].A;
  if (S.Facts.contains(Cond))
    F.Left->TestedAgain.insert(Cond);
}

bool CaptureModel::returnsApart(const Returns &Left, unsigned Where) {
  auto It = Left.Known.find(Where);
  if (It == Left.Known.end())
    return false;
  const auto &[Closed, Open] = It->second;
  return llvm::all_of(Open, [&](const FactMap &X) {
    return llvm::all_of(Closed, [&](const FactMap &Y) {
      return llvm::any_of(Left.TestedAgain, [&](ValueId Flag) {
        std::optional<unsigned> A = X.lookup(Flag), B = Y.lookup(Flag);
        return A && B && *A != *B;
      });
    });
  });
}

/// True if \p G, which begins \p R, may end a capture after it: it is not one
/// step of a state machine.
static bool mayEnd(GraphShapes &Shapes, const FlowGraph &G,
                   const CaptureRecord &R) {
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    if (llvm::any_of(G.Blocks[B].Ops, [&](const Op &O) {
          return O.Kind == OpKind::Call && O.Range.Begin == R.BeginCall.Begin;
        }))
      return Shapes.endsAfter(G, B);
  return false;
}

void CaptureModel::noteOpenReturn(const Frame &F, const Op &O, const State &S,
                                  const ExitPath &Exit) {
  if (S.Active.empty() || S.OtherThread || !F.Left || !O.Range.Begin)
    return;
  CaptureId C = S.Active.back();
  const CaptureRecord &R = Result.Captures[C];
  // If the begin call returned one particular error, there is no capture.
  if (llvm::any_of(S.Equal, [&](const FactMap::Item &I) {
        const ValueNode Key = D[I.Key];
        return Key.Kind == ValueKind::Status && Key.N == R.BeginResult &&
               D.asInt(I.Data) != 0;
      }))
    return;
  // A function may begin a capture through another function. One that calls a
  // callable during the capture leaves it open if it returns before the end
  // call, or if the callable throws.
  bool Own = R.BeginIn == F.Function && R.Home == F.Function;
  bool Mine = R.Root == RootKind::Wrapper
                  ? R.Home == F.Function ||
                        (R.BeginIn == F.Function &&
                         (Exit.Thrown.Begin || mayEnd(Shapes, *F.Graph, R)))
                  : Own && (R.Root == RootKind::ApiPair ||
                            R.Root == RootKind::Libtorch);
  if (!Mine && !Exit.Of)
    return;
  // In a recursive function, an outer call may have begun the capture.
  for (const Frame *A = F.Parent; A; A = A->Parent)
    if (A->Function == F.Function)
      return;
  Fact Leak = Facts.at(F, O, S, C);
  Leak.Callee = R.BeginName;
  auto &Return = Leak.become<FactKind::OpenEnd>();
  Return.Unwalked = Exit.Unwalked;
  Return.Branch = Exit.Branch;
  if (auto It = F.Left->Partings.find(C); It != F.Left->Partings.end())
    Return.Branch = It->second;
  Return.Thrown = Exit.Thrown;
  Return.ThrownIn = Exit.In;
  Return.Keyword = O.Kind == OpKind::Return ? "return"
                   : O.Kind == OpKind::Call ? "call throws, and"
                                            : "throw";
  // The capture was active at the branch, regardless of other paths.
  bool Doubted =
      (Leak.Weakest == Evidence::EndsOnPath && !Return.Branch.Begin) ||
      Leak.Weakest == Evidence::OwnRecords;
  bool ByItself =
      Exit.ByItself || llvm::any_of(F.Graph->Blocks, [&](const Block &B) {
        return llvm::any_of(B.Succs, [&](const Edge &E) {
          return E.To == F.Block && asksForOwnFailure(F, B);
        });
      });
  Return.ByItself = ByItself;
  Evidence Written = Table.site(O.Range).InMacro && !ByItself
                         ? Evidence::ReturnInMacro
                         : Evidence::WrittenReturn;
  if (O.Kind != OpKind::Return) {
    Catcher Who = catcherOf(F, O);
    if (Who == Catcher::Ends)
      return;
    // Without a handler for an exception of another function, the program ends.
    if (Who == Catcher::Uncaught && O.Kind == OpKind::Call)
      Written = Evidence::Uncaught;
  }
  Leak.Weakest = Doubted ? weaker(Leak.Weakest, Written) : Written;
  Situation Where;
  Where.Relation = StreamRelation::Origin;
  for (Cell &Each : Where.ByMode)
    Each = {Cell::Error, 900, false};
  Return.Situations.push_back(Where);
  (Exit.Of ? *Exit.Of : F).Left->Open.push_back(std::move(Leak));
}

void CaptureModel::reroot(const Frame &F, const Op &O, const State &Before,
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
    CaptureId Outer = Facts.intern(std::move(R));
    Result.Superseded.push_back({C, Outer});
    Use.Times.inherit(C, Outer);
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

} // namespace cudagraph
