//===- GraphShapes.cpp - Properties of flow graphs ------------------------===//
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
#include "KeyShapes.h"
#include "llvm/ADT/STLExtras.h"
#include <queue>

namespace cudagraph {

using catalogue::Effect;

/// Computes the tree with the algorithm of Cooper, Harvey, and Kennedy ("A
/// Simple, Fast Dominance Algorithm") on the reversed graph, from a virtual
/// block that follows all blocks without successors.
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
  // Numbers the blocks that reach an end in post-order of the reversed graph.
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
  // No path that begins in an endless loop returns, so the statement holds for
  // all.
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

bool GraphShapes::isOnlyAfter(const FlowGraph &G, unsigned First,
                              unsigned To) const {
  llvm::BitVector Seen(G.Blocks.size());
  std::vector<unsigned> Work{0}; // the entry
  while (!Work.empty()) {
    unsigned B = Work.back();
    Work.pop_back();
    if (B == First || Seen.test(B))
      continue;
    if (B == To)
      return false;
    Seen.set(B);
    for (const Edge &E : G.Blocks[B].Succs)
      Work.push_back(E.To);
  }
  return true;
}

/// Headers of loops of \p G whose body contains a call for which \p Wanted
/// holds.
static std::set<unsigned>
loopsWith(const FlowGraph &G, llvm::function_ref<bool(const Op &)> Wanted) {
  std::set<unsigned> Headers;
  std::vector<std::vector<unsigned>> Preds(G.Blocks.size());
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    for (const Edge &E : G.Blocks[B].Succs)
      Preds[E.To].push_back(B);
  auto Has = [&](const Block &B) { return llvm::any_of(B.Ops, Wanted); };
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
      if (O.Callee == None)
        return false;
      const catalogue::Entry *E = Rel.entryFor(O.Callee);
      return E ? boundsCapture(E->Does)
               : Table.hasGraph(O.Callee) &&
                     (Rel.bits(O.Callee) & Relevance::Opens);
    });
  return It->second;
}

const std::set<unsigned> &GraphShapes::workingLoops(FunctionId F,
                                                    const FlowGraph &G) {
  auto [It, New] = WorkHeaders.try_emplace(&G);
  if (!New || !(Rel.bits(F) &
                (Relevance::Works | Relevance::Virtual | Relevance::Unknown)))
    return It->second;
  for (unsigned Head : loopsWith(G, [&](const Op &O) {
         return O.How == Dispatch::Kernel || O.How == Dispatch::Virtual ||
                O.How == Dispatch::Indirect ||
                (O.Callee != None && !Rel.entryFor(O.Callee) &&
                 Rel.bits(O.Callee) & Relevance::Works);
       }))
    if (llvm::any_of(G.Blocks[Head].Ops, [&](const Op &O) {
          return O.Kind == OpKind::Call &&
                 (isOfRange(G, O.Object) ||
                  (!O.Args.empty() && isOfRange(G, O.Args[0].Value)));
        }))
      It->second.insert(Head);
  return It->second;
}

const std::set<unsigned> &GraphShapes::forkingLoops(FunctionId F,
                                                    const FlowGraph &G) {
  auto [It, New] = ForkHeaders.try_emplace(&G);
  if (New && Rel.bits(F) & Relevance::Forks)
    It->second = loopsWith(G, [&](const Op &O) {
      if (O.Callee == None)
        return false;
      const catalogue::Entry *E = Rel.entryFor(O.Callee);
      return E ? E->Does == catalogue::Effect::EventRecord ||
                     E->Does == catalogue::Effect::StreamWaitEvent
               : Table.hasGraph(O.Callee) &&
                     (Rel.bits(O.Callee) & Relevance::Forks);
    });
  return It->second;
}

/// True if \p O initializes a pointer to a function, a member of a structure or
/// of a table, that nothing sets later.
static bool isNeverSet(const Relevance &Rel, const FlowGraph &G, const Op &O) {
  ExprKind Value = G.Exprs[O.Value].Kind;
  const std::string *Name = writeKey(G, O.Place);
  if (G.Exprs[O.Place].Kind == ExprKind::Global || !Name ||
      (Value != ExprKind::Function && Value != ExprKind::Int))
    return false;
  const WriteSummary *Writes = Rel.writes(*Name);
  return !Writes || (Writes->Setters.empty() && Writes->Resets.empty() &&
                     Writes->Parts.empty());
}

const GraphShapes::Rows *GraphShapes::rowsOf(llvm::StringRef Name) {
  if (!Tables) {
    Tables.emplace();
    for (FunctionId F : Table.initializers()) {
      const FlowGraph &G = *Table.graph(F);
      const std::vector<Op> &Ops = G.Blocks.front().Ops;
      for (unsigned I = 0; I < Ops.size(); ++I) {
        if (!Ops[I].ConstValue && !isNeverSet(Rel, G, Ops[I]))
          continue;
        ExprId Root = Ops[I].Place;
        while (G.Exprs[Root].Kind == ExprKind::Field ||
               G.Exprs[Root].Kind == ExprKind::Elem)
          Root = G.Exprs[Root].A;
        // Two units may have tables with the same name; their contents are then
        // unknown.
        Rows &Known = (*Tables)[G.Exprs[Root].S];
        Known.Ops.push_back(I);
        if (Known.Graph && Known.Graph != &G)
          Known.Doubtful = true;
        Known.Graph = &G;
      }
    }
  }
  auto It = Tables->find(Name);
  return It == Tables->end() || It->second.Doubtful ? nullptr : &It->second;
}

/// True if \p E, of \p G, contains an element of an array.
static bool hasElement(const FlowGraph &G, ExprId Id, unsigned Depth = 0) {
  if (Id == None || Depth > 6)
    return false;
  const Expr &E = G.Exprs[Id];
  return E.Kind == ExprKind::Elem || E.Kind == ExprKind::PtrElem ||
         hasElement(G, E.A, Depth + 1) || hasElement(G, E.B, Depth + 1);
}

/// True if \p O enqueues work on a stream that is an element of an array, or
/// passes such a stream on or copies it to a variable, or if its callee is in
/// such an element.
static bool usesLane(const FlowGraph &G, const Op &O) {
  if (O.Kind == OpKind::Assign)
    return O.Place != None && G.Exprs[O.Place].Kind == ExprKind::Var &&
           G.Vars[G.Exprs[O.Place].N].IsStream && hasElement(G, O.Value);
  if (O.How == Dispatch::Indirect && O.CalleeValue != None &&
      (hasElement(G, O.CalleeValue) ||
       G.Exprs[O.CalleeValue].Kind == ExprKind::Select)) // a constant table
    return true;
  if (O.How == Dispatch::Kernel)
    return O.Config.size() > 3 && hasElement(G, O.Config[3].Value);
  return llvm::any_of(O.Args, [&](const CallArg &A) {
    return A.IsStream && hasElement(G, A.Value);
  });
}

const std::set<unsigned> &GraphShapes::handlingLoops(FunctionId F,
                                                     const FlowGraph &G) {
  auto [It, New] = HandlingHeaders.try_emplace(&G);
  if (New && Rel.bits(F))
    It->second = loopsWith(G, [&](const Op &O) {
      if (usesLane(G, O))
        return true;
      if (O.Callee == None)
        return false;
      const catalogue::Entry *E = Rel.entryFor(O.Callee);
      if (!E)
        return Table.hasGraph(O.Callee) &&
               (Rel.bits(O.Callee) & Relevance::Forks) != 0;
      switch (E->Does) {
      case Effect::EventRecord:
      case Effect::StreamWaitEvent:
      case Effect::StreamCreate:
      case Effect::EventCreate:
      case Effect::LibraryHandle:
      case Effect::LibraryStream:
      case Effect::AllocDevice:
      case Effect::AllocAsync:
      case Effect::AllocPinned:
      case Effect::FreeDevice:
      case Effect::FreeAsync:
      case Effect::FreePinned:
        return true;
      default:
        return false;
      }
    });
  return It->second;
}

} // namespace cudagraph
