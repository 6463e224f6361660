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
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// The name of work for the device that a call of \p E is, or an empty one.
/// Copies are copies, whether they block or not.
static std::string workOf(const catalogue::Entry &E) {
  switch (E.Does) {
  case Effect::CopySync:
  case Effect::CopyAsync:
    return "a copy";
  case Effect::SetSync:
  case Effect::SetAsync:
    return "a memset";
  case Effect::Launch:
  case Effect::HostFunction:
  case Effect::LibraryCall:
    return E.Name;
  default:
    return "";
  }
}

/// The work for the device that \p O is, or an empty string.
std::string Engine::nameOfWork(const Op &O) const {
  if (O.Kind != OpKind::Call || O.Callee == None)
    return "";
  if (O.How == Dispatch::Kernel)
    return Table.info(O.Callee).Name;
  if (const catalogue::Entry *E = Rel.entryFor(O.Callee))
    return workOf(*E);
  return Rel.bits(O.Callee) & Relevance::Works ? Table.info(O.Callee).Name : "";
}

/// Adds the work of \p B; that of functions it calls by what they enqueue, if
/// that is told easily.
void Engine::addWork(const Block &B, std::vector<std::string> &Work,
                     unsigned Depth) const {
  for (const Op &O : B.Ops) {
    std::string Name = nameOfWork(O);
    if (Name.empty())
      continue;
    const FlowGraph *Callee =
        O.How == Dispatch::Kernel || Rel.entryFor(O.Callee) || Depth > 1
            ? nullptr
            : Table.graph(O.Callee);
    if (!Callee || Callee->Blocks.size() > 8) {
      Work.push_back(std::move(Name));
      continue;
    }
    for (const Block &Inner : Callee->Blocks)
      if (!Inner.NeverReturns)
        addWork(Inner, Work, Depth + 1);
  }
}

/// The same, and what is made for later calls.
std::string Engine::nameOfFirstWork(const Op &O) const {
  std::string Name = nameOfWork(O);
  const catalogue::Entry *E = O.Kind == OpKind::Call && O.Callee != None
                                  ? Rel.entryFor(O.Callee)
                                  : nullptr;
  if (Name.empty() && E && E->Does == Effect::AllocAsync)
    Name = E->Name;
  return Name;
}

/// What the two ways out of \p Block do before they meet.
const Arms &Engine::armsOf(const Frame &F, unsigned Block) {
  const FlowGraph &G = *F.Graph;
  auto [It, New] = ArmsOf.try_emplace({&G, Block});
  Arms &Result = It->second;
  if (!New)
    return Result;
  llvm::BitVector Reached[2] = {llvm::BitVector(G.Blocks.size()),
                                llvm::BitVector(G.Blocks.size())};
  for (const Edge &E : G.Blocks[Block].Succs) {
    if (E.When > 1 || E.To <= Block)
      continue;
    llvm::SmallVector<unsigned, 16> Work{E.To};
    while (!Work.empty()) {
      unsigned B = Work.pop_back_val();
      if (Reached[E.When].test(B))
        continue;
      Reached[E.When].set(B);
      for (const Edge &Next : G.Blocks[B].Succs)
        if (Next.To > B)
          Work.push_back(Next.To);
    }
  }
  for (unsigned Way : {0u, 1u}) {
    llvm::BitVector Own = Reached[Way];
    Own.reset(Reached[1 - Way]);
    for (unsigned B : Own.set_bits()) {
      Result.Blocks[Way].push_back(B);
      if (G.Blocks[B].NeverReturns)
        continue;
      addWork(G.Blocks[B], Result.Work[Way], 0);
    }
    llvm::sort(Result.Work[Way]);
    for (unsigned B : Result.Blocks[Way])
      for (const Op &O : G.Blocks[B].Ops)
        if (!Result.First[Way] && !nameOfFirstWork(O).empty())
          Result.First[Way] = &O;
  }
  for (unsigned From = Block; From < G.Blocks.size() && !Result.IsLoop; ++From)
    Result.IsLoop = llvm::any_of(G.Blocks[From].Succs,
                                 [&](const Edge &E) { return E.To == Block; });
  return Result;
}

/// What of the graph of \p F holds the answer to whether a stream captures:
/// results of calls, then variables.
const Engine::Answers &Engine::answersIn(FunctionId F, unsigned Depth) {
  auto [It, New] = AnswersOf.try_emplace(F);
  if (!New || Depth > 2 || !(Rel.bits(F) & Relevance::Asks))
    return It->second;
  const FlowGraph &G = *Table.graph(F);
  Answers Found;
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::Assign && O.Value != None &&
          G.Exprs[O.Place].Kind == ExprKind::Var && mentions(G, Found, O.Value))
        Found.Vars.insert(G.Exprs[O.Place].N);
      if (O.Kind != OpKind::Call || O.Callee == None || O.ResultIndex == None)
        continue;
      const catalogue::Entry *E = Rel.entryFor(O.Callee);
      if (E && E->Does == Effect::CaptureQuery) {
        if (E->Returns != "status")
          Found.Results.insert(O.ResultIndex);
        std::optional<int> I = E->arg("status", O.Args.size());
        if (!I || *I < 0 || static_cast<size_t>(*I) >= O.Args.size())
          continue;
        const Expr &Out = G.Exprs[O.Args[*I].Value];
        if (Out.Kind == ExprKind::AddrOf &&
            G.Exprs[Out.A].Kind == ExprKind::Var)
          Found.Vars.insert(G.Exprs[Out.A].N);
      } else if (!E && Table.info(O.Callee).ReturnsFlag &&
                 Table.graph(O.Callee) &&
                 (Rel.bits(O.Callee) & Relevance::Asks)) {
        // A function that passes the answer on, or branches on it.
        const FlowGraph &Callee = *Table.graph(O.Callee);
        Answers Inner = answersIn(O.Callee, Depth + 1);
        for (const Block &Each : Callee.Blocks) {
          if (mentions(Callee, Inner, Each.Cond))
            Found.Results.insert(O.ResultIndex);
          for (const Op &R : Each.Ops)
            if (R.Kind == OpKind::Return && mentions(Callee, Inner, R.Value))
              Found.Results.insert(O.ResultIndex);
        }
      }
    }
  return AnswersOf[F] = std::move(Found);
}

bool Engine::mentions(const FlowGraph &G, const Answers &A, ExprId Id) {
  if (A.Results.empty() && A.Vars.empty())
    return false;
  llvm::SmallVector<ExprId, 16> Work{Id};
  llvm::SmallDenseSet<ExprId, 16> Seen;
  while (!Work.empty()) {
    ExprId E = Work.pop_back_val();
    if (E == None || !Seen.insert(E).second)
      continue;
    const Expr &X = G.Exprs[E];
    if ((X.Kind == ExprKind::Result && A.Results.count(X.N)) ||
        (X.Kind == ExprKind::Var && A.Vars.count(X.N)))
      return true;
    Work.append({X.A, X.B, X.C});
  }
  return false;
}

/// True if the current block is executed only while a stream captures: code
/// that knows of the capture, and keeps books of it.
bool Engine::knowsOfCapture(const Frame &F) {
  if (!(Rel.bits(F.Function) & Relevance::Asks))
    return false;
  const Answers A = answersIn(F.Function, 0);
  for (unsigned B = 0; B < F.Block; ++B)
    if (F.Graph->Blocks[B].Cond != None &&
        mentions(*F.Graph, A, F.Graph->Blocks[B].Cond)) {
      const Arms &Two = armsOf(F, B);
      if (llvm::is_contained(Two.Blocks[0], F.Block) ||
          llvm::is_contained(Two.Blocks[1], F.Block))
        return true;
    }
  return false;
}

/// A branch under a capture, on \p Cond.
void Engine::noteBranch(Frame &F, State &S, const Block &B, ValueId Cond) {
  if (S.Failing || S.OtherThread || S.InCallback || B.Partial)
    return;
  if (llvm::any_of(B.Succs, [](const Edge &E) { return E.Failure; }))
    return;
  Op Where;
  Where.Range = B.CondRange;
  const Arms &Two = armsOf(F, F.Block);
  if (Two.differ()) {
    if (mentions(*F.Graph, answersIn(F.Function, 0), B.Cond))
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
  auto List = [](const std::vector<std::string> &Names) {
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
      Refuses &= nameOfWork(O).empty();
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
  R.What = nameOfFirstWork(*First[Way]);
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
  callValue(F, O, std::move(Later), Callable, {Data}, None, None);
  CallbackData = Old;
}

} // namespace cudagraph
