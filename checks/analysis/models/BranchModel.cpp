//===- BranchModel.cpp - Branches and callbacks ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BranchModel.h.
//
//===----------------------------------------------------------------------===//

#include "BranchModel.h"
#include "analysis/program/CountedLoops.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// True if \p E of \p G reads one of \p Vars.
static bool readsOneOf(const FlowGraph &G, ExprId E,
                       const llvm::SmallDenseSet<int64_t, 4> &Vars,
                       unsigned Depth = 0) {
  if (E == None || Depth > 8)
    return false;
  const Expr &X = G.Exprs[E];
  if (X.Kind == ExprKind::Var)
    return Vars.contains(X.N);
  return readsOneOf(G, X.A, Vars, Depth + 1) ||
         readsOneOf(G, X.B, Vars, Depth + 1) ||
         readsOneOf(G, X.C, Vars, Depth + 1);
}

bool BranchModel::steers(const FlowGraph &G, unsigned At) {
  auto [It, New] = Steering.try_emplace({&G, At}, false);
  if (!New)
    return It->second;
  const BranchPair &Two = Shapes.branchesOf(G, At);
  if (Two.differ() || Two.IsLoop)
    return false;
  llvm::SmallVector<LoopRange, 2> Loops = loopsAround(G, At);
  llvm::SmallDenseSet<int64_t, 4> Set;
  auto Sets = [&](const Op &O) {
    return (O.Kind == OpKind::Assign || O.Kind == OpKind::Modify) &&
           G.Exprs[O.Place].Kind == ExprKind::Var;
  };
  for (const auto &Side : Two.Blocks)
    for (unsigned B : Side)
      for (const Op &O : G.Blocks[B].Ops)
        if (Sets(O))
          Set.insert(G.Exprs[O.Place].N);
  bool Steers = false;
  for (const LoopRange &L : Loops) {
    llvm::SmallDenseSet<int64_t, 4> Vars = Set;
    // `pc = taken ? target : pc + 1`, and lookups with it.
    for (unsigned Round = 0; Round < 3; ++Round)
      for (unsigned B = L.Head; B <= L.Last; ++B)
        for (const Op &O : G.Blocks[B].Ops)
          if (const Expr *V = Sets(O) ? &G.Exprs[O.Value] : nullptr;
              V &&
              ((V->Kind == ExprKind::Select && V->A == G.Blocks[At].Cond) ||
               readsOneOf(G, O.Value, Vars)))
            Vars.insert(G.Exprs[O.Place].N);
    for (unsigned B = L.Head; B <= L.Last && !Steers; ++B)
      Steers = B != At && readsOneOf(G, G.Blocks[B].Cond, Vars) &&
               (Shapes.branchesOf(G, B).differ() || Shapes.casesDiffer(G, B));
  }
  return Steering[{&G, At}] = Steers;
}

const BranchPair *BranchModel::note(Frame &F, State &S, const Block &B,
                                    ValueId Cond) {
  if (S.Failing || S.OtherThread || S.InCallback || B.Partial)
    return nullptr;
  if (llvm::any_of(B.Succs, [](const Edge &E) { return E.Failure; }))
    return nullptr;
  const BranchPair &Two = Shapes.branchesOf(*F.Graph, F.Block);
  noteOneStream(F, S, B, Cond, Two);
  if (Shapes.differByName(Two) && Shapes.asksForCapture(F.Function, B.Cond)) {
    noteAware(F, S, B, Cond, Two);
    return nullptr;
  }
  // All graphs come from the other branch.
  if (Two.OneAborts)
    return nullptr;
  Variations::Source From;
  From.In = F.Function;
  std::optional<Variation> Var = Use.Varies.of(Cond, From);
  // `if (!block) return cudaErrorMemoryAllocation;`: there is no graph to
  // replay.
  if (Var != Variation::DeviceRead && llvm::any_of(B.Succs, [&](const Edge &E) {
        return F.Graph->Blocks[E.To].EarlyExit;
      }))
    return nullptr;
  bool Steps = Var == Variation::HostState || Var == Variation::Setter;
  // CUDA refuses the read, so no replay can take the wrong path.
  if (std::optional<unsigned> Broken = S.Broken.lookup(S.Active.back());
      Broken && *Broken == 0 && Var == Variation::DeviceRead)
    return nullptr;
  // Programs fill objects before they use them. Thus, only loops that end at a
  // number in the capturing object count.
  bool OverElements = false;
  D.visitTree(Cond, [&](ValueId Part) {
    OverElements |=
        D[Part].Kind == ValueKind::Op && D.text(D[Part].S) == "library";
  });
  const std::string &Class =
      Table.info(Result.Captures[S.Active.back()].Home).Class;
  bool Counts = Two.IsLoop && Var == Variation::Setter && !OverElements &&
                !Class.empty() &&
                llvm::StringRef(From.Name).starts_with(Class + "::");
  bool Decides =
      Two.differ() ? !Two.IsLoop || Counts : Steps && steers(*F.Graph, F.Block);
  if (Var && (!Steps || Decides)) {
    Op Where;
    Where.Range = B.CondRange;
    Fact R = Facts.at(F, Where, S, S.Active.back());
    auto &Value = R.become<FactKind::HostBranch>();
    Value.Why = *Var;
    Value.Where = From.Where;
    Value.In = From.In;
    Value.Call = From.Call;
    Value.CallIn = From.CallIn;
    R.restOn(Evidence::VaryingBranch);
    // Replays do the same work on either branch.
    R.Advice = !Two.differ() && !Two.IsLoop;
    if (Var == Variation::Setter || From.With != None)
      Facts.Later.Stepping.push_back({std::move(R), "", From.With});
    else
      Facts.Later.Unupdated.push_back(std::move(R));
  }
  return &Two;
}

/// True if CUDA refuses the work named \p Name on a capturing stream.
static bool isRefused(const catalogue::Catalogue &Known,
                      const std::string &Name) {
  const catalogue::Entry *E = Known.lookup(Name);
  return E && llvm::any_of(E->Outcomes, [](const catalogue::OutcomeRow &Row) {
           return llvm::is_contained(Row.Streams,
                                     catalogue::StreamRelation::Origin) &&
                  llvm::any_of(Row.ByMode, [](const catalogue::Cell &C) {
                    return C.What == catalogue::Cell::Error;
                  });
         });
}

/// Reports an is-capturing test whose branches do different work.
void BranchModel::noteAware(Frame &F, State &S, const Block &B, ValueId Cond,
                            const BranchPair &Two) {
  Op Where;
  Where.Range = B.CondRange;
  Fact R = Facts.at(F, Where, S, S.Active.back());
  std::optional<bool> Known = truth(D, S, Cond);
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
  auto &Work = R.become<FactKind::AwareBranch>();
  Work.Capturing = List(Two.Work[Capturing]);
  Work.Otherwise = List(Two.Work[!Capturing]);
  // Such tests refuse a capture before any work.
  bool Refuses = Two.Work[Capturing].empty() && !Two.Blocks[Capturing].empty();
  for (unsigned Each : Two.Blocks[Capturing])
    Refuses &= F.Graph->Blocks[Each].EarlyReturn;
  for (unsigned Before = 0; Before <= F.Block && Refuses; ++Before)
    for (const Op &O : F.Graph->Blocks[Before].Ops)
      Refuses &= Shapes.nameOfWork(O).empty();
  // Others stop the work.
  if (Two.Work[Capturing].empty() &&
      llvm::any_of(Two.Blocks[Capturing], [&](unsigned Each) {
        return F.Graph->Blocks[Each].NeverReturns;
      }))
    return;
  // Work that is only in the graph is often bookkeeping of the capture.
  Refuses |= Two.Work[!Capturing].empty();
  bool Avoids = llvm::any_of(Two.Work[!Capturing], [&](unsigned Id) {
    return isRefused(W.Catalogue, Shapes.workName(Id));
  });
  R.restOn(Refuses  ? Evidence::RefusesCapture
           : Avoids ? Evidence::AvoidsRefusal
           : Known  ? Evidence::BranchesDiffer
                    : Evidence::StatusAmongOthers);
  Facts.record(std::move(R));
}

/// Members and globals that the condition \p Cond reads.
static llvm::SmallVector<ExprId, 4> flagsOf(const FlowGraph &G, ExprId Cond) {
  llvm::SmallVector<ExprId, 4> Flags;
  llvm::SmallVector<ExprId, 8> Work{Cond};
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
    // A test of a size does not test whether the object exists.
    if (X.Kind == ExprKind::Op && X.S != "!" && X.S != "bool" && X.S != "==" &&
        X.S != "&&" && X.S != "||" && X.S != "!=")
      continue;
    Work.push_back(X.A);
    Work.push_back(X.B);
  }
  return Flags;
}

/// Whether \p Cond, with the value \p Holds, means that the contents of \p Flag
/// are true; nothing if \p Cond does not determine this.
static std::optional<bool> says(const FlowGraph &G, ExprId Cond, bool Holds,
                                ExprId Flag, unsigned Depth = 0) {
  if (Cond == None || Depth > 16)
    return std::nullopt;
  const Expr &X = G.Exprs[Cond];
  if (X.Kind == ExprKind::Load)
    return X.A == Flag ? std::optional(Holds) : std::nullopt;
  if (X.Kind != ExprKind::Op)
    return std::nullopt;
  if (X.S == "!" || X.S == "bool")
    return says(G, X.A, Holds != (X.S == "!"), Flag, Depth + 1);
  bool Equal = X.S == "==";
  if ((Equal || X.S == "!=") && X.B != None &&
      G.Exprs[X.B].Kind == ExprKind::Int)
    return says(G, X.A, (Holds != Equal) == (G.Exprs[X.B].N == 0), Flag,
                Depth + 1);
  if ((X.S == "&&" && Holds) || (X.S == "||" && !Holds))
    for (ExprId Part : {X.A, X.B})
      if (std::optional<bool> Said = says(G, Part, Holds, Flag, Depth + 1))
        return Said;
  return std::nullopt;
}

/// True if the work in \p Blocks, which runs if \p Cond is \p Holds, ensures
/// that it runs only once by setting \p Flag to the opposite of the tested
/// value.
bool BranchModel::doesOnce(const FlowGraph &G, llvm::ArrayRef<unsigned> Blocks,
                           ExprId Cond, bool Holds, ExprId Flag) {
  std::optional<bool> Asked = says(G, Cond, Holds, Flag);
  const WriteSummary *Writes = Rel.writes(G.Exprs[Flag].S);
  for (unsigned Block : Blocks)
    for (const Op &O : G.Blocks[Block].Ops) {
      if (O.Kind == OpKind::Assign && O.Place == Flag) {
        bool Number = O.Value != None && G.Exprs[O.Value].Kind == ExprKind::Int;
        if (Number ? !Asked || *Asked != (G.Exprs[O.Value].N != 0)
                   : Asked != true)
          return true;
      }
      if (O.Kind != OpKind::Call || Asked == true)
        continue;
      for (const CallArg &A : O.Args)
        if (G.Exprs[A.Value].Kind == ExprKind::AddrOf &&
            G.Exprs[A.Value].A == Flag)
          return true;
      // Any code that mentions the flag may set it, but at least one assignment
      // must be visible.
      if (O.Callee != None && Rel.mentions(O.Callee, G.Exprs[Flag].S) &&
          (Asked == false || !Writes || !Writes->Writers.empty() ||
           !Writes->Setters.empty()))
        return true;
    }
  return false;
}

/// The member of \p Flags that the work in \p Blocks sets, or an empty string.
std::string BranchModel::setFlag(const FlowGraph &G,
                                 llvm::ArrayRef<unsigned> Blocks,
                                 llvm::ArrayRef<ExprId> Flags) {
  std::string Flag;
  for (unsigned Block : Blocks)
    for (const Op &O : G.Blocks[Block].Ops) {
      auto Sets = [&](ExprId P) {
        if (llvm::is_contained(Flags, P))
          Flag = G.Exprs[P].S;
      };
      // A flag that is set; a pointer that is no longer null.
      if (O.Kind == OpKind::Assign)
        Sets(O.Place);
      if (O.Kind == OpKind::Call && O.Callee != None &&
          Table.hasGraph(O.Callee) && (Rel.bits(O.Callee) & Relevance::Works))
        for (ExprId P : Flags)
          if (Rel.mentions(O.Callee, G.Exprs[P].S))
            Flag = G.Exprs[P].S;
      if (O.Kind == OpKind::Call)
        for (const CallArg &A : O.Args)
          if (G.Exprs[A.Value].Kind == ExprKind::AddrOf)
            Sets(G.Exprs[A.Value].A);
    }
  return Flag;
}

void BranchModel::noteLazy(Frame &F, State &S, const Block &B, ValueId Cond,
                           const BranchPair &Two) {
  const FlowGraph &G = *F.Graph;
  const Op *const *First = Two.First;
  if (Two.IsLoop || !First[0] == !First[1])
    return;
  unsigned Side = First[1] ? 1 : 0;
  std::optional<bool> Known = truth(D, S, Cond);
  if (Known && *Known != (Side == 1))
    return;
  llvm::SmallVector<ExprId, 4> Flags = flagsOf(G, B.Cond);
  std::string Flag = setFlag(G, Two.Blocks[Side], Flags);
  if (Flag.empty())
    return;
  Fact R = Facts.at(F, *First[Side], S, S.Active.back());
  // Work that does not ensure that it runs only once depends on a feature flag.
  R.Advice = llvm::none_of(Flags, [&](ExprId Each) {
    return doesOnce(G, Two.Blocks[Side], B.Cond, Side == 1, Each);
  });
  auto &Work = R.become<FactKind::LazyWork>();
  Work.Flag = Flag.substr(Flag.rfind(':') + 1);
  Work.Work = Shapes.nameOfFirstWork(*First[Side]);
  R.restOn(Evidence::FirstCallWork);
  Facts.Later.Lazy.push_back(std::move(R));
}

void HostNodeModel::after(Call &C, State &S) {
  if (C.Api.Does != Effect::HostFunction ||
      (C.HasStream && !Streams.memberOf(S, C.Stream, C.PerThread)))
    return;
  ValueId Callable = C.arg("callable");
  if (S.Active.empty() || S.OtherThread || S.InCallback || Callable == None)
    return;
  // The host function of a node is walked as a replay runs it.
  State Later = S;
  Later.InCallback = true;
  Later.CallbackData = C.arg("data");
  llvm::SmallVector<ValueId, 1> Args;
  if (Later.CallbackData != None)
    Args.push_back(Later.CallbackData);
  Use.Calls.callValue(C.F, C.O, std::move(Later), Callable, Args, None, None);
}

void HostNodeModel::noteCall(Frame &F, const Op &O, const State &S,
                             llvm::StringRef Name) {
  if (S.Active.empty())
    return;
  Fact R = Facts.at(F, O, S, S.Active.back());
  R.become<FactKind::CallbackCalls>();
  R.Callee = Name.str();
  Facts.record(std::move(R));
}

} // namespace cudagraph
