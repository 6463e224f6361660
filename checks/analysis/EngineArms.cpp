//===- EngineArms.cpp - What branches and callbacks are for ---------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A branch in a region decides once, for all replays. What matters of it is the
// work for the device on each of its two ways: whether it differs because
// somebody captures, because this is the first call, or because of a state that
// is another one later. A host node runs on every replay: what it calls is
// looked at as the graph will run it.
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// A branch under a capture, on \p Cond.
void Engine::noteBranch(Frame &F, State &S, const Block &B, ValueId Cond) {
  if (S.Failing || S.OtherThread || S.InCallback || B.Partial)
    return;
  if (llvm::any_of(B.Succs, [](const Edge &E) { return E.Failure; }))
    return;
  Op Where;
  Where.Range = B.CondRange;
  const Arms &Two = Shapes.armsOf(*F.Graph, F.Block);
  if (Two.differ()) {
    if (Shapes.asksForCapture(F.Function, B.Cond))
      return noteAware(F, S, B, Cond, Two);
  }
  Span At;
  FunctionId In = F.Function;
  std::optional<Variation> Var = variation(S, Cond, &At, &In);
  bool Steps = Var == Variation::HostState || Var == Variation::Setter;
  // The read was refused: there is no replay that could take the wrong path.
  if (std::optional<unsigned> Broken = S.Broken.lookup(S.Active.back());
      Broken && *Broken == 0 && Var == Variation::DeviceRead)
    return;
  if (Var && (!Steps || (Two.differ() && !Two.IsLoop))) {
    Fact Result = factAt(F, Where, S, S.Active.back());
    Result.Kind = FactKind::HostBranch;
    Result.Varies = Var;
    Result.Other = At;
    Result.OtherIn = In;
    Result.Sure = std::min(Result.Sure, Confidence::Likely);
    if (Var == Variation::Setter)
      Stepping.push_back({std::move(Result), ""});
    else
      record(std::move(Result));
  }
  if (Two.differ())
    keepBranch(F, Where, S, Cond);
  noteLazy(F, S, B, Cond, Two);
}

/// The arms of an is-capturing test do different work.
void Engine::noteAware(Frame &F, State &S, const Block &B, ValueId Cond,
                       const Arms &Two) {
  Op Where;
  Where.Range = B.CondRange;
  Fact R = factAt(F, Where, S, S.Active.back());
  R.Kind = FactKind::AwareBranch;
  std::optional<bool> Known = truth(S, Cond);
  bool Capturing = Known.value_or(true);
  auto List = [&](llvm::ArrayRef<unsigned> Work) {
    std::vector<std::string> Names;
    for (unsigned Id : Work)
      Names.push_back(Shapes.workName(Id));
    llvm::sort(Names);
    std::string Text;
    for (const std::string &N : Names)
      Text += (Text.empty() ? "" : ", ") +
              (llvm::StringRef(N).starts_with("a ") ? N : "'" + N + "'");
    return Text;
  };
  R.What = List(Two.Work[Capturing]);
  R.Object = List(Two.Work[!Capturing]);
  // To refuse a capture before anything is done is what such tests are for.
  bool Refuses = Two.Work[Capturing].empty() && !Two.Blocks[Capturing].empty();
  for (unsigned Each : Two.Blocks[Capturing])
    Refuses &= F.Graph->Blocks[Each].EarlyReturn;
  for (unsigned Before = 0; Before <= F.Block && Refuses; ++Before)
    for (const Op &O : F.Graph->Blocks[Before].Ops)
      Refuses &= Shapes.nameOfWork(O).empty();
  // Or to give up.
  if (Two.Work[Capturing].empty() &&
      llvm::any_of(Two.Blocks[Capturing], [&](unsigned Each) {
        return F.Graph->Blocks[Each].NeverReturns;
      }))
    return;
  // Work for the graph alone is as often bookkeeping of the capture.
  Refuses |= Two.Work[!Capturing].empty();
  R.Sure =
      std::min(R.Sure, Refuses ? Confidence::Possible : Confidence::Likely);
  record(std::move(R));
}

/// Work that is done on the first call only, under a flag that the work sets.
void Engine::noteLazy(Frame &F, State &S, const Block &B, ValueId Cond,
                      const Arms &Two) {
  const FlowGraph &G = *F.Graph;
  const Op *const *First = Two.First;
  if (!First[0] == !First[1])
    return;
  unsigned Way = First[1] ? 1 : 0;
  std::optional<bool> Known = truth(S, Cond);
  if (Known && *Known != (Way == 1))
    return;
  // Members and globals that the condition reads.
  llvm::SmallVector<ExprId, 4> Flags;
  llvm::SmallVector<ExprId, 8> Work{B.Cond};
  while (!Work.empty()) {
    ExprId E = Work.pop_back_val();
    if (E == None)
      continue;
    const Expr &X = G.Exprs[E];
    if (X.Kind == ExprKind::Load && (G.Exprs[X.A].Kind == ExprKind::Field ||
                                     G.Exprs[X.A].Kind == ExprKind::Global)) {
      Flags.push_back(X.A);
      continue;
    }
    // Whether something is small enough is not whether it is there.
    if (X.Kind == ExprKind::Op && X.S != "!" && X.S != "bool" && X.S != "==" &&
        X.S != "&&" && X.S != "||" && X.S != "!=")
      continue;
    Work.push_back(X.A);
    Work.push_back(X.B);
  }
  std::string Flag;
  for (unsigned Block : Two.Blocks[Way])
    for (const Op &O : G.Blocks[Block].Ops) {
      auto Sets = [&](ExprId P) {
        if (llvm::is_contained(Flags, P))
          Flag = G.Exprs[P].S;
      };
      // A flag that is set; a pointer that points somewhere now.
      if (O.Kind == OpKind::Assign)
        Sets(O.Place);
      if (O.Kind == OpKind::Call && O.Callee != None && Table.graph(O.Callee) &&
          (Rel.bits(O.Callee) & Relevance::Works))
        for (ExprId P : Flags)
          if (Rel.mentions(O.Callee, G.Exprs[P].S))
            Flag = G.Exprs[P].S;
      if (O.Kind == OpKind::Call)
        for (const CallArg &A : O.Args)
          if (G.Exprs[A.Value].Kind == ExprKind::AddrOf)
            Sets(G.Exprs[A.Value].A);
    }
  if (Flag.empty())
    return;
  Fact R = factAt(F, *First[Way], S, S.Active.back());
  R.Kind = FactKind::LazyWork;
  R.Object = Flag.substr(Flag.rfind(':') + 1);
  R.What = Shapes.nameOfFirstWork(*First[Way]);
  R.Sure = std::min(R.Sure, Confidence::Likely);
  Lazy.push_back(std::move(R));
}

/// A host node calls CUDA, which CUDA refuses when the graph runs.
void Engine::noteCallbackCall(Frame &F, const Op &O, const State &S,
                              llvm::StringRef Name) {
  if (S.Active.empty())
    return;
  Fact R = factAt(F, O, S, S.Active.back());
  R.Kind = FactKind::CallbackCalls;
  R.Callee = Name.str();
  record(std::move(R));
}

/// Walks the host function of a node as a replay runs it.
void Engine::runCallback(Frame &F, const Op &O, const State &S,
                         ValueId Callable, ValueId Data) {
  if (S.Active.empty() || S.OtherThread || S.InCallback || Callable == None)
    return;
  State Later = S;
  Later.InCallback = true;
  ValueId Old = CallbackData;
  CallbackData = Data;
  llvm::SmallVector<ValueId, 1> Args;
  if (Data != None)
    Args.push_back(Data);
  callValue(F, O, std::move(Later), Callable, Args, None, None);
  CallbackData = Old;
}

} // namespace cudagraph
