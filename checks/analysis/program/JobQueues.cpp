//===- JobQueues.cpp - Job queues between threads -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See JobQueues.h.
//
//===----------------------------------------------------------------------===//

#include "JobQueues.h"
#include "Relevance.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// A thread that reaches more functions has several purposes, and jobs that
/// reach more functions cannot be distinguished from other code of the program.
static constexpr unsigned MaxReached = 4096;

namespace {

/// The origin of a value: a callable, or the value of a parameter.
struct Origin {
  FunctionId Callable = None;
  unsigned Param = None;
  bool isKnown() const { return Callable != None || Param != None; }
};

/// Follows callables and parameters through the variables of one function.
class Origins {
public:
  explicit Origins(const FlowGraph &G) : G(G) {}

  Origin of(ExprId V) const {
    if (V == None)
      return {};
    const Expr &E = G.Exprs[V];
    if (E.Kind == ExprKind::Function || E.Kind == ExprKind::Closure)
      return {static_cast<FunctionId>(E.N), None};
    if (E.Kind == ExprKind::Load || E.Kind == ExprKind::AddrOf)
      return at(E.A);
    return {};
  }
  void assign(ExprId Place, ExprId V) {
    Origin From = of(V);
    if (!From.isKnown())
      return;
    Held[Place] = From;
    // The contents of an object follow it.
    while (G.Exprs[Place].Kind == ExprKind::Field ||
           G.Exprs[Place].Kind == ExprKind::Elem) {
      Place = G.Exprs[Place].A;
      Held.try_emplace(Place, From);
    }
  }

private:
  Origin at(ExprId Place) const {
    if (auto It = Held.find(Place); It != Held.end())
      return It->second;
    const Expr &E = G.Exprs[Place];
    if (E.Kind == ExprKind::Var && E.N < G.NumParams)
      return {None, static_cast<unsigned>(E.N)};
    // The object is passed by reference, or it is the target of an owner.
    if (E.Kind == ExprKind::Deref && G.Exprs[E.A].Kind == ExprKind::Load)
      return at(G.Exprs[E.A].A);
    return {};
  }

  const FlowGraph &G;
  llvm::DenseMap<ExprId, Origin> Held;
};

} // namespace

/// Calls \p Store, \p Start, and \p Pass for the callables that \p G stores in
/// a member or global, runs in a thread, and passes to a function of the
/// program.
template <typename StoreFn, typename StartFn, typename PassFn>
void JobQueues::eachUse(const FlowGraph &G, StoreFn Store, StartFn Start,
                        PassFn Pass) {
  Origins From(G);
  auto VisitCall = [&](const Op &O) {
    const catalogue::Entry *E = R.entryFor(O.Callee);
    if (E && E->Does == Effect::HostThread) {
      std::optional<int> I = E->arg("callable", O.Args.size());
      // A policy may come first.
      for (int Each : {0, 1})
        if (const CallArg *A = I && *I >= 0 ? O.arg(*I + Each) : nullptr)
          Start(From.of(A->Value));
      return;
    }
    if (E || R.Table.info(O.Callee).IsSystem)
      return;
    for (unsigned I = 0; I < O.Args.size(); ++I)
      if (Origin V = From.of(O.Args[I].Value); V.isKnown()) {
        Pass(O.Callee, I, V);
        if (O.How == Dispatch::Virtual)
          for (FunctionId Over : R.Table.info(O.Callee).Overrides)
            Pass(Over, I, V);
      }
  };
  for (const Block &B : G.Blocks)
    for (const Op &O : B.Ops) {
      if (O.Kind == OpKind::Call && O.Callee != None)
        VisitCall(O);
      if (O.Kind != OpKind::Assign)
        continue;
      if (const std::string *Key = writeKey(G, O.Place);
          Key && !isSynthetic(*Key))
        Store(*Key, From.of(O.Value));
      else
        From.assign(O.Place, O.Value);
    }
}

void JobQueues::scan(FunctionId F, const FlowGraph &G) {
  if (llvm::none_of(G.Exprs, [](const Expr &E) {
        return E.Kind == ExprKind::Closure || E.Kind == ExprKind::Function;
      }))
    return;
  eachUse(
      G,
      [&](const std::string &Key, Origin V) {
        if (V.Callable != None)
          Stored.push_back({F, V.Callable, Key});
      },
      [&](Origin V) {
        if (V.Callable != None)
          Bodies.insert(V.Callable);
      },
      [&](FunctionId To, unsigned Param, Origin V) {
        if (V.Callable != None)
          give({F, To, Param, V.Callable});
      });
}

void JobQueues::give(const Gift &Each) {
  if (Known.insert({{Each.To, Each.Param}, Each.Callable}).second)
    Gifts.push_back(Each);
}

/// The uses of \p F's parameters.
const JobQueues::Uses &JobQueues::usesOf(FunctionId F) {
  std::unique_ptr<Uses> &Mine = UsesOf[F];
  if (Mine)
    return *Mine;
  Mine = std::make_unique<Uses>();
  Uses &Result = *Mine;
  const FlowGraph *G = R.Table.graph(F);
  if (!G)
    return Result;
  eachUse(
      *G,
      [&](const std::string &Key, Origin V) {
        if (V.isKnown())
          Result.push_back({V.Param, None, 0, Key});
      },
      [&](Origin V) {
        if (V.Param != None)
          Result.push_back({V.Param, None, 0, ""});
      },
      [&](FunctionId To, unsigned Param, Origin V) {
        if (V.Param != None)
          Result.push_back({V.Param, To, Param, ""});
      });
  return Result;
}

void JobQueues::flow() {
  for (; Next < Gifts.size(); ++Next) {
    const Gift Each = Gifts[Next];
    // For a recursive function, the uses are known at this point.
    const Uses Of = usesOf(Each.To);
    for (const Use &U : Of) {
      if (U.Param != Each.Param)
        continue; // of another function, or its own callable
      if (U.To != None) {
        give({Each.From, U.To, U.ToParam, Each.Callable});
      } else if (U.Key.empty()) {
        Bodies.insert(Each.Callable);
      } else if (WriteSummary &W = R.Writes[U.Key];
                 !llvm::is_contained(W.Callables, Each.Callable)) {
        W.Callables.push_back(Each.Callable);
      }
    }
  }
}

/// Adds the members and globals on the path to \p Place to \p To. \returns true
/// if the path begins at a variable of the function, or its target.
static bool namesOn(const FlowGraph &G, ExprId Place,
                    std::vector<std::string> &To) {
  while (Place != None) {
    const Expr &E = G.Exprs[Place];
    switch (E.Kind) {
    case ExprKind::Field:
    case ExprKind::Global:
      if (isSynthetic(E.S))
        return false; // the captures of a lambda belong to it
      To.push_back(E.S);
      [[fallthrough]];
    case ExprKind::Elem:
      Place = E.Kind == ExprKind::Global ? None : E.A;
      break;
    case ExprKind::Deref:
      if (G.Exprs[E.A].Kind != ExprKind::Load)
        return false;
      Place = G.Exprs[E.A].A;
      break;
    case ExprKind::Var:
    case ExprKind::Temp:
      return true;
    default:
      return false;
    }
  }
  return false;
}

/// Adds the members and globals that are read for the value \p V to \p To.
static void namesRead(const FlowGraph &G, ExprId V,
                      std::vector<std::string> &To) {
  if (V == None)
    return;
  const Expr &E = G.Exprs[V];
  if (E.Kind == ExprKind::Load || E.Kind == ExprKind::AddrOf)
    namesOn(G, E.A, To);
  if (E.Kind == ExprKind::Select)
    for (ExprId Each : {E.B, E.C})
      namesRead(G, Each, To);
}

/// The members and globals that \p F reads, and its calls.
const JobQueues::Reading &JobQueues::readingOf(FunctionId F) {
  auto [It, New] = Readings.try_emplace(F);
  if (!New)
    return *It->second;
  It->second = std::make_unique<Reading>();
  Reading &Result = *It->second;
  const FlowGraph *G = R.Table.graph(F);
  if (!G)
    return Result;
  for (const Block &B : G->Blocks)
    for (const Op &O : B.Ops) {
      namesRead(*G, O.Value, Result.Taken);
      for (const CallArg &A : O.Args)
        namesRead(*G, A.Value, Result.Taken);
      if (O.Kind != OpKind::Call || O.How != Dispatch::Indirect || O.IsLambda)
        continue;
      if (const Expr &E = G->Exprs[O.CalleeValue]; E.Kind == ExprKind::Load)
        Result.CallsTaken |= namesOn(*G, E.A, Result.Called);
    }
  return Result;
}

/// The functions that \p From reach; empty if there are too many. With
/// \p IfNoneBegins, functions that others store for them do not count, and the
/// result is empty if one of the functions begins a capture.
std::vector<FunctionId> JobQueues::reachedFrom(llvm::ArrayRef<FunctionId> From,
                                               bool IfNoneBegins) const {
  std::vector<FunctionId> Work(From.begin(), From.end());
  llvm::DenseSet<FunctionId> Seen(From.begin(), From.end());
  for (size_t I = 0; I < Work.size(); ++I) {
    if (Work.size() > MaxReached ||
        (IfNoneBegins && R.bits(Work[I]) & Relevance::Begins))
      return {};
    for (FunctionId Callee : R.calleesOf(Work[I]))
      if (!(IfNoneBegins && R.StoredOnly.count({Work[I], Callee})) &&
          Seen.insert(Callee).second)
        Work.push_back(Callee);
  }
  return Work;
}

void JobQueues::resolve() {
  llvm::DenseSet<FunctionId> ThreadFunctions; // all functions that threads run
  for (FunctionId Body : Bodies) {
    // A capturing thread does not serve as a helper of another.
    std::vector<FunctionId> Reached = reachedFrom(Body, /*IfNoneBegins=*/true);
    ThreadFunctions.insert(Reached.begin(), Reached.end());
    bool CallsTaken = llvm::any_of(
        Reached, [&](FunctionId F) { return readingOf(F).CallsTaken; });
    for (FunctionId F : Reached) {
      const Reading &Mine = readingOf(F);
      for (const std::string &Name : Mine.Called)
        Queues[Name].Takers.insert(F);
      for (const std::string &Name : Mine.Taken)
        if (CallsTaken)
          Queues[Name].Takers.insert(F);
    }
  }
  if (Queues.empty())
    return;
  findOtherTakers(ThreadFunctions);
  auto Post = [&](llvm::StringRef Key, FunctionId From, FunctionId Job) {
    auto It = Queues.find(Key);
    if (It == Queues.end())
      return false;
    It->second.Jobs.insert(Job);
    Posted.insert({From, Job});
    return true;
  };
  for (const Store &Each : Stored)
    if (Post(Each.Key, Each.From, Each.Callable))
      Fillers.insert(Each.From);
  // An argument of a function that adds its own callable to the queue may be
  // part of the callable.
  for (const Gift &Each : Gifts)
    for (const Use &U : usesOf(Each.To))
      if (!U.Key.empty() && (U.Param == Each.Param || U.Param == None) &&
          Post(U.Key, Each.From, Each.Callable))
        Posters.insert(Each.To);
}

/// Finds the queues that threads other than those of \p ThreadFunctions may
/// also empty. The code that ends a thread may do so when the thread is over.
void JobQueues::findOtherTakers(
    const llvm::DenseSet<FunctionId> &ThreadFunctions) {
  for (auto &Each : Queues)
    for (FunctionId F : Each.second.Takers)
      Each.second.Shared |=
          llvm::any_of(R.callersOf(F), [&](FunctionId Caller) {
            return !ThreadFunctions.count(Caller) &&
                   R.Direct.count({Caller, F}) && !R.isConstruction(Caller);
          });
  for (FunctionId F : R.Scanned) {
    if (!(R.bits(F) & Relevance::Unknown) || ThreadFunctions.count(F) ||
        R.isConstruction(F))
      continue;
    const Reading &Mine = readingOf(F);
    for (const auto *Names : {&Mine.Called, &Mine.Taken})
      for (const std::string &Name : *Names)
        if (auto It = Queues.find(Name);
            It != Queues.end() && (Names == &Mine.Called || Mine.CallsTaken))
          It->second.Shared = true;
  }
}

const JobQueue *JobQueues::find(llvm::StringRef Name) const {
  auto It = Queues.find(Name);
  return It == Queues.end() ? nullptr : &It->second;
}

bool JobQueues::mayHold(const JobQueue &Queue, FunctionId F) const {
  if (!Queue.Parts) {
    std::vector<FunctionId> All =
        reachedFrom(Queue.Jobs.getArrayRef(), /*IfNoneBegins=*/false);
    Queue.Parts.emplace(All.begin(), All.end());
  }
  return Queue.Parts->contains(F);
}

} // namespace cudagraph
