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
#include <set>

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

/// True if only the branch that leads to \p B tests the result of a call.
static bool isBehindStatus(const FlowGraph &G, const Block &B) {
  unsigned To = &B - G.Blocks.data();
  for (const Block &From : G.Blocks)
    for (const Edge &E : From.Succs)
      if (E.To == To && E.Failure)
        return true;
  return false;
}

/// True if \p Id, in \p G, consists only of constants: it contains no
/// parameter, and no result of a function of the program or of CUDA.
static bool isConstant(Program &Table, const FlowGraph &G, ExprId Id,
                       unsigned Depth = 0) {
  if (Id == None)
    return true;
  if (Depth > 6)
    return false;
  const Expr &E = G.Exprs[Id];
  auto IsGiven = [&](const Op &O) {
    return llvm::all_of(O.Args, [&](const CallArg &A) {
      return isConstant(Table, G, A.Value, Depth + 1);
    });
  };
  bool Constant = true;
  if (E.Kind == ExprKind::Var || E.Kind == ExprKind::Temp) {
    if (E.Kind == ExprKind::Var && E.N < G.NumParams)
      return false;
    for (const Block &B : G.Blocks)
      for (const Op &O : B.Ops)
        if (O.Kind == OpKind::Assign && O.Place == Id)
          Constant &= isConstant(Table, G, O.Value, Depth + 1);
        else if (O.Kind == OpKind::Call && O.Object == Id && O.Callee != None &&
                 Table.info(O.Callee).IsConstructor)
          Constant &= IsGiven(O);
    return Constant;
  }
  if (E.Kind == ExprKind::Result)
    return llvm::any_of(G.Blocks, [&](const Block &B) {
      return llvm::any_of(B.Ops, [&](const Op &O) {
        return O.Kind == OpKind::Call && O.ResultIndex == E.N &&
               O.Callee != None && Table.info(O.Callee).IsSystem && IsGiven(O);
      });
    });
  if (E.Kind == ExprKind::Field || E.Kind == ExprKind::Global ||
      E.Kind == ExprKind::This)
    return false;
  return isConstant(Table, G, E.A, Depth + 1) &&
         isConstant(Table, G, E.B, Depth + 1) &&
         isConstant(Table, G, E.C, Depth + 1);
}

/// The constant that the function of \p G returns at \p O: a number, or the
/// first number from which the constructor of a status class creates it; for
/// one that is created from a text, by a constructor or another function, its
/// location.
static std::optional<int64_t> constantOf(Program &Table, const FlowGraph &G,
                                         const Block &B, const Op &O) {
  ExprId Value = O.Value;
  for (const Op &Made : B.Ops)
    if (Made.Kind == OpKind::Assign &&
        G.Exprs[O.Value].Kind == ExprKind::Load &&
        Made.Place == G.Exprs[O.Value].A)
      Value = Made.Value;
  const Expr &E = G.Exprs[Value];
  if (E.Kind == ExprKind::Int)
    return E.N;
  // A function that creates it: `Status::error("no license")`.
  if (E.Kind == ExprKind::Result)
    for (const Op &Made : B.Ops)
      if (Made.Kind == OpKind::Call && Made.ResultIndex == E.N &&
          Made.Object == None && Made.Callee != None && !Made.Args.empty() &&
          Table.info(Made.Callee).HasBody &&
          llvm::all_of(Made.Args, [&](const CallArg &A) {
            return isConstant(Table, G, A.Value);
          }))
        return Made.Range.Begin;
  if (E.Kind != ExprKind::Load)
    return std::nullopt;
  for (const Op &Made : B.Ops) {
    if (Made.Kind != OpKind::Call || Made.Object != E.A ||
        Made.Callee == None || !Table.info(Made.Callee).IsConstructor)
      continue;
    if (Made.Args.empty())
      return 0;
    for (const CallArg &A : Made.Args)
      if (A.Value != None && G.Exprs[A.Value].Kind == ExprKind::Int)
        return G.Exprs[A.Value].N;
    if (llvm::all_of(Made.Args, [&](const CallArg &A) {
          return isConstant(Table, G, A.Value);
        }))
      return Made.Range.Begin;
  }
  return std::nullopt;
}

/// The functions that \p O may call, according to its declaration.
static llvm::SmallVector<FunctionId, 4> calleesOf(Program &Table, const Op &O) {
  llvm::SmallVector<FunctionId, 4> All;
  if (O.Callee != None)
    All.push_back(O.Callee);
  if (O.How == Dispatch::Virtual)
    for (unsigned I = 0; I < All.size() && I < 16; ++I)
      llvm::append_range(All, Table.info(All[I]).Overrides);
  return All;
}

/// True if \p Callee returns its own error: not one from CUDA, but one caused
/// by its arguments or the state of the program.
bool CaptureModel::failsByItself(FunctionId Callee, unsigned Depth) const {
  const FlowGraph *G = Table.graph(Callee);
  if (!G || Rel.entryFor(Callee) || Depth > 3)
    return false;
  std::set<std::optional<int64_t>> Returned; // nothing: no constant
  for (const Block &B : G->Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::Call &&
          llvm::any_of(calleesOf(Table, O), [&](FunctionId Each) {
            return failsByItself(Each, Depth + 1);
          }))
        return true;
      // After a failed call, the constant is a translation of that failure.
      if (O.Kind != OpKind::Return || O.Value == None || isBehindStatus(*G, B))
        continue;
      const Expr &Value = G->Exprs[O.Value];
      // `return n % 32 == 0 ? 0 : 77;`
      if (Value.Kind == ExprKind::Select && Value.B != Value.C &&
          G->Exprs[Value.B].Kind == ExprKind::Int &&
          G->Exprs[Value.C].Kind == ExprKind::Int)
        return true;
      Returned.insert(constantOf(Table, *G, B, O));
    }
  return Returned.size() > 1;
}

/// True if the condition of \p B, a block of \p F, tests the failure of a
/// function that returns its own errors.
bool CaptureModel::asksForOwnFailure(const Frame &F, const Block &B) const {
  return llvm::any_of(callsAskedFor(*F.Graph, B), [&](const Op *O) {
    return llvm::any_of(calleesOf(Table, *O), [&](FunctionId Each) {
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
  // A function may begin a capture through another function, and an exception
  // that its callable throws leaves the function that calls the callable.
  bool Own = R.BeginIn == F.Function && R.Home == F.Function;
  bool Mine = R.Root == RootKind::Wrapper
                  ? R.Home == F.Function ||
                        (R.BeginIn == F.Function && Exit.Thrown.Begin)
                  : Own && (R.Root == RootKind::ApiPair ||
                            R.Root == RootKind::Libtorch);
  if (!Mine && !Exit.Of)
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
