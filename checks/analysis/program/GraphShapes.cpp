//===- GraphShapes.cpp - What flow graphs look like -----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are numbered in reverse post-order: an edge to a block with a smaller
// number, or to the block itself, closes a loop.
//
//===----------------------------------------------------------------------===//

#include "GraphShapes.h"
#include "Limits.h"
#include "llvm/ADT/STLExtras.h"
#include <queue>

namespace cudagraph {

using catalogue::Effect;

bool GraphShapes::isErrorExit(const Block &B) {
  if (B.EarlyExit || !B.EarlyReturn)
    return B.EarlyExit;
  auto [It, New] = ErrorExits.try_emplace(&B, false);
  if (!New)
    return It->second;
  bool Talks = false;
  for (const Op &O : B.Ops) {
    if (O.Kind != OpKind::Call || O.Callee == None)
      continue;
    const catalogue::Entry *E = Rel.entryFor(O.Callee);
    if (E && E->Does != Effect::HostIO && E->Does != Effect::Neutral)
      return false;
    Talks |= E && E->Does == Effect::HostIO;
  }
  return It->second = Talks;
}

/// Computes the tree with the algorithm of Cooper, Harvey and Kennedy ("A
/// Simple, Fast Dominance Algorithm") on the reversed graph, from a virtual
/// block that follows all blocks that lead nowhere.
GraphShapes::PassTree GraphShapes::passTree(const FlowGraph &G) {
  const unsigned N = G.Blocks.size();
  std::vector<std::vector<unsigned>> Preds(N), Succs(N);
  for (unsigned B = 0; B < N; ++B) {
    if (B == G.Exit)
      continue;
    for (const Edge &E : G.Blocks[B].Succs) {
      const Block &Next = G.Blocks[E.To];
      if (E.Failure || Next.NeverReturns || isErrorExit(Next))
        continue;
      Succs[B].push_back(E.To);
      Preds[E.To].push_back(B);
    }
  }
  // Number what reaches an end in post-order of the reversed graph.
  std::vector<unsigned> Number(N, PassTree::Nowhere), Order;
  std::vector<bool> Seen(N);
  std::vector<std::pair<unsigned, size_t>> Stack;
  for (unsigned End = 0; End < N; ++End) {
    if (!Succs[End].empty())
      continue;
    Seen[End] = true;
    Stack.push_back({End, 0});
    while (!Stack.empty()) {
      auto &[B, Next] = Stack.back();
      if (Next < Preds[B].size()) {
        unsigned P = Preds[B][Next++];
        if (!Seen[P]) {
          Seen[P] = true;
          Stack.push_back({P, 0});
        }
        continue;
      }
      Number[B] = Order.size();
      Order.push_back(B);
      Stack.pop_back();
    }
  }
  const unsigned Virtual = Order.size();
  std::vector<unsigned> Parent(Virtual + 1, PassTree::Nowhere); // by Number
  Parent[Virtual] = Virtual;
  auto Meet = [&](unsigned A, unsigned B) {
    while (A != B) {
      while (A < B)
        A = Parent[A];
      while (B < A)
        B = Parent[B];
    }
    return A;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned I = Virtual; I-- > 0;) {
      unsigned New = Succs[Order[I]].empty() ? Virtual : PassTree::Nowhere;
      for (unsigned S : Succs[Order[I]]) {
        unsigned At = Number[S];
        if (At == PassTree::Nowhere || Parent[At] == PassTree::Nowhere)
          continue;
        New = New == PassTree::Nowhere ? At : Meet(New, At);
      }
      if (Parent[I] != New) {
        Parent[I] = New;
        Changed = true;
      }
    }
  }
  // Parents have larger numbers: sizes of subtrees give the intervals.
  std::vector<unsigned> Size(Virtual + 1, 1), Start(Virtual + 1, 0);
  for (unsigned I = 0; I < Virtual; ++I)
    Size[Parent[I]] += Size[I];
  std::vector<unsigned> Free(Virtual + 1, 1);
  PassTree Result;
  Result.Enter.assign(N, PassTree::Nowhere);
  Result.Leave.assign(N, PassTree::Nowhere);
  for (unsigned I = Virtual; I-- > 0;) {
    unsigned P = Parent[I];
    Start[I] = Start[P] + Free[P];
    Free[P] += Size[I];
    Result.Enter[Order[I]] = Start[I];
    Result.Leave[Order[I]] = Start[I] + Size[I];
  }
  return Result;
}

bool GraphShapes::mustReach(const FlowGraph *G, unsigned From, unsigned To) {
  if (From == To)
    return true;
  auto It = Passes.find(G);
  if (It == Passes.end())
    It = Passes.emplace(G, passTree(*G)).first;
  const PassTree &T = It->second;
  // From a loop without an end, every path that comes back has passed it.
  if (T.Enter[From] == PassTree::Nowhere)
    return true;
  return T.Enter[To] != PassTree::Nowhere && T.Enter[To] <= T.Enter[From] &&
         T.Enter[From] < T.Leave[To];
}

bool GraphShapes::passesEachRound(const FlowGraph *G, unsigned Block) {
  unsigned Head = None, Last = 0;
  for (unsigned B = Block; B < G->Blocks.size(); ++B)
    for (const Edge &E : G->Blocks[B].Succs)
      if (E.To <= Block && (Head == None || E.To >= Head)) {
        Head = E.To;
        Last = B;
      }
  if (Head == None || Head == Block)
    return true;
  return llvm::all_of(G->Blocks[Head].Succs, [&](const Edge &E) {
    return E.To > Last ||
           (E.To > Block && E.To > Head + 1 && E.When == EdgeKind::False) ||
           mustReach(G, E.To, Block);
  });
}

bool GraphShapes::mayPass(const FlowGraph &G, unsigned From, unsigned Via,
                          unsigned To) {
  auto [It, New] = Passed.try_emplace({&G, From, Via, To}, false);
  if (!New)
    return It->second;
  auto Reaches = [&](unsigned Start, unsigned Goal) {
    llvm::BitVector Seen(G.Blocks.size());
    std::vector<unsigned> Work{Start};
    while (!Work.empty()) {
      unsigned B = Work.back();
      Work.pop_back();
      for (const Edge &E : G.Blocks[B].Succs) {
        if (E.To == Goal)
          return true;
        const Block &Next = G.Blocks[E.To];
        if (E.Failure || Next.NeverReturns || E.To == From || E.To == To ||
            Seen.test(E.To))
          continue;
        Seen.set(E.To);
        Work.push_back(E.To);
      }
    }
    return false;
  };
  return It->second = (Via == From || Reaches(From, Via)) &&
                      (Via == To || Reaches(Via, To));
}

bool GraphShapes::endsAfter(const FlowGraph &G, unsigned From) {
  auto Ends = [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      if (O.Kind != OpKind::Call)
        return false;
      if (O.Callee == None || O.How == Dispatch::Indirect)
        return O.How == Dispatch::Indirect;
      const catalogue::Entry *E = Rel.entryFor(O.Callee);
      return E ? E->Does == Effect::CaptureEnd
               : (Rel.bits(O.Callee) & Relevance::Ends) != 0;
    });
  };
  llvm::BitVector Seen(G.Blocks.size());
  std::vector<unsigned> Work{From};
  while (!Work.empty()) {
    unsigned B = Work.back();
    Work.pop_back();
    if (Seen.test(B))
      continue;
    Seen.set(B);
    if (Ends(G.Blocks[B]))
      return true;
    for (const Edge &E : G.Blocks[B].Succs)
      Work.push_back(E.To);
  }
  return false;
}

/// Headers of loops of \p G whose body has a call for which \p Wanted holds.
static std::set<unsigned>
loopsWith(const FlowGraph &G, llvm::function_ref<bool(const Op &)> Wanted) {
  std::set<unsigned> Headers;
  std::vector<std::vector<unsigned>> Preds(G.Blocks.size());
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    for (const Edge &E : G.Blocks[B].Succs)
      Preds[E.To].push_back(B);
  auto Has = [&](const Block &B) {
    return llvm::any_of(B.Ops, [&](const Op &O) {
      return O.Kind == OpKind::Call && O.Callee != None && Wanted(O);
    });
  };
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    for (const Edge &E : G.Blocks[B].Succs) {
      if (E.To > B || Headers.count(E.To))
        continue;
      // The natural loop of this back edge.
      std::set<unsigned> Body{E.To};
      std::vector<unsigned> Walk{B};
      while (!Walk.empty()) {
        unsigned X = Walk.back();
        Walk.pop_back();
        if (Body.insert(X).second)
          for (unsigned P : Preds[X])
            if (P >= E.To)
              Walk.push_back(P);
      }
      if (G.Blocks[E.To].Succs.size() > 1 &&
          llvm::any_of(Body, [&](unsigned X) { return Has(G.Blocks[X]); }))
        Headers.insert(E.To);
    }
  return Headers;
}

const std::set<unsigned> &GraphShapes::capturingLoops(FunctionId F,
                                                      const FlowGraph &G) {
  auto [It, New] = LoopHeaders.try_emplace(&G);
  if (New && Rel.bits(F) & Relevance::Opens)
    It->second = loopsWith(G, [&](const Op &O) {
      const catalogue::Entry *E = Rel.entryFor(O.Callee);
      return E ? boundsCapture(E->Does)
               : Table.graph(O.Callee) &&
                     (Rel.bits(O.Callee) & Relevance::Opens);
    });
  return It->second;
}

const std::set<unsigned> &GraphShapes::forkingLoops(FunctionId F,
                                                    const FlowGraph &G) {
  auto [It, New] = ForkHeaders.try_emplace(&G);
  if (New && Rel.bits(F) & Relevance::Forks)
    It->second = loopsWith(G, [&](const Op &O) {
      const catalogue::Entry *E = Rel.entryFor(O.Callee);
      return E ? E->Does == catalogue::Effect::EventRecord ||
                     E->Does == catalogue::Effect::StreamWaitEvent
               : Table.graph(O.Callee) &&
                     (Rel.bits(O.Callee) & Relevance::Forks);
    });
  return It->second;
}

/// The name of work for the device that a call of \p E is, or an empty one.
/// Copies are copies, whether they block or not.
static std::string workOfEntry(const catalogue::Entry &E) {
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

std::string GraphShapes::nameOfWork(const Op &O) const {
  if (O.Kind != OpKind::Call)
    return "";
  const catalogue::Entry *Called =
      O.Callee == None ? nullptr : Rel.entryFor(O.Callee);
  // What is given a stream to work on does so, whatever it is.
  if ((O.How == Dispatch::Indirect ||
       (Called && Called->Does == Effect::Invoke)) &&
      llvm::any_of(O.Args, [](const CallArg &A) { return A.IsStream; }))
    return "a callable";
  if (O.Callee == None)
    return "";
  if (O.How == Dispatch::Kernel)
    return Table.info(O.Callee).Name;
  if (Called)
    return workOfEntry(*Called);
  return Rel.bits(O.Callee) & Relevance::Works ? Table.info(O.Callee).Name : "";
}

unsigned GraphShapes::idOfWork(llvm::StringRef Name) {
  auto [It, New] = WorkIds.try_emplace(Name, WorkNames.size());
  if (New)
    WorkNames.push_back(Name.str());
  return It->second;
}

/// True if \p O, in \p B of \p G, passes a function that enqueues work: to an
/// algorithm, or to std::visit.
bool GraphShapes::passesWork(const FlowGraph &G, const Block &B,
                             const Op &O) const {
  return O.Kind == OpKind::Call && llvm::any_of(O.Args, [&](const CallArg &A) {
           if (A.Value == None)
             return false;
           const Expr *E = &G.Exprs[A.Value];
           if (E->Kind == ExprKind::AddrOf) {
             auto Made = llvm::find_if(B.Ops, [&](const Op &X) {
               return X.Kind == OpKind::Assign && X.Place == E->A;
             });
             E = &G.Exprs[Made == B.Ops.end() ? E->A : Made->Value];
           }
           if ((E->Kind != ExprKind::Closure &&
                E->Kind != ExprKind::Function) ||
               E->N == static_cast<int64_t>(None))
             return false;
           auto Works = [&](FunctionId F) {
             return (Rel.bits(F) & Relevance::Works) != 0;
           };
           FunctionId Passed = static_cast<FunctionId>(E->N);
           return Works(Passed) ||
                  llvm::any_of(Table.info(Passed).Overrides, Works);
         });
}

/// Adds the work of \p B, of \p G; that of functions it calls by what they
/// enqueue, if that is told easily.
void GraphShapes::addWork(const FlowGraph &G, const Block &B,
                          llvm::SmallVectorImpl<unsigned> &Work,
                          unsigned Depth) {
  for (const Op &O : B.Ops) {
    std::string Name = nameOfWork(O);
    if (Name.empty() && passesWork(G, B, O))
      Name = "a callable";
    if (Name.empty())
      continue;
    const FlowGraph *Callee = O.How == Dispatch::Kernel || O.Callee == None ||
                                      Rel.entryFor(O.Callee) || Depth > 1
                                  ? nullptr
                                  : Table.graph(O.Callee);
    if (!Callee || Callee->Blocks.size() > 8) {
      Work.push_back(idOfWork(Name));
      continue;
    }
    for (const Block &Inner : Callee->Blocks)
      if (!Inner.NeverReturns)
        addWork(*Callee, Inner, Work, Depth + 1);
  }
}

std::string GraphShapes::nameOfFirstWork(const Op &O) const {
  std::string Name = nameOfWork(O);
  const catalogue::Entry *E = O.Kind == OpKind::Call && O.Callee != None
                                  ? Rel.entryFor(O.Callee)
                                  : nullptr;
  if (Name.empty() && E && E->Does == Effect::AllocAsync)
    Name = E->Name;
  return Name;
}

const GraphShapes::BlockWork &GraphShapes::workOf(const FlowGraph &G,
                                                  const Block &B) {
  auto [It, New] = Works.try_emplace(&B);
  BlockWork &Result = It->second;
  if (!New)
    return Result;
  if (!B.NeverReturns)
    addWork(G, B, Result.Names, 0);
  auto First = llvm::find_if(
      B.Ops, [&](const Op &O) { return !nameOfFirstWork(O).empty(); });
  if (First != B.Ops.end())
    Result.First = &*First;
  return Result;
}

bool GraphShapes::casesDiffer(const FlowGraph &G, unsigned Block) {
  const BlockWork *First = nullptr;
  for (const Edge &E : G.Blocks[Block].Succs) {
    if (G.Blocks[E.To].NeverReturns)
      continue;
    const BlockWork &Does = workOf(G, G.Blocks[E.To]);
    if (First && First->Names != Does.Names)
      return true;
    First = &Does;
  }
  return false;
}

const Arms &GraphShapes::armsOf(const FlowGraph &G, unsigned Block) {
  auto [It, New] = ArmsOf.try_emplace({&G, Block});
  Arms &Result = It->second;
  if (!New)
    return Result;
  // Loops aside, edges lead to larger numbers: when a block is the least that
  // is left, it is known on which ways it lies. Once all that is left lies on
  // both, the ways have met.
  std::map<unsigned, unsigned> Ways; // block -> 1: when false, 2: when true
  size_t Apart = 0;                  // blocks that lie on one way so far
  auto Reach = [&](unsigned To, unsigned Way) {
    unsigned &Known = Ways[To];
    unsigned Now = Known | Way;
    Apart += (Now != 3) - (Known == 1 || Known == 2);
    Known = Now;
  };
  for (const Edge &E : G.Blocks[Block].Succs)
    if (E.To > Block && (E.When == EdgeKind::False || E.When == EdgeKind::True))
      Reach(E.To, E.When == EdgeKind::False ? 1 : 2);
  while (Apart &&
         Result.Blocks[0].size() + Result.Blocks[1].size() < MaxArmBlocks) {
    auto [B, Way] = *Ways.begin();
    Ways.erase(Ways.begin());
    if (Way != 3) {
      --Apart;
      const BlockWork &Does = workOf(G, G.Blocks[B]);
      Result.Blocks[Way - 1].push_back(B);
      llvm::append_range(Result.Work[Way - 1], Does.Names);
      if (!Result.First[Way - 1])
        Result.First[Way - 1] = Does.First;
    }
    for (const Edge &Next : G.Blocks[B].Succs)
      if (Next.To > B)
        Reach(Next.To, Way);
  }
  for (std::vector<unsigned> &Each : Result.Work)
    llvm::sort(Each);
  auto [Targets, Unknown] = BackTargets.try_emplace(&G);
  if (Unknown) {
    Targets->second.resize(G.Blocks.size());
    for (unsigned From = 0; From < G.Blocks.size(); ++From)
      for (const Edge &E : G.Blocks[From].Succs)
        if (E.To <= From)
          Targets->second.set(E.To);
  }
  Result.IsLoop = Targets->second.test(Block);
  return Result;
}

} // namespace cudagraph
