//===- BranchWork.cpp - Device work in the branches of a block ------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device work that blocks enqueue, and whether the branches of a block
// enqueue the same work. See GraphShapes.h.
//
//===----------------------------------------------------------------------===//

#include "GraphShapes.h"
#include "Limits.h"
#include "llvm/ADT/STLExtras.h"

namespace cudagraph {

using catalogue::Effect;

/// The name of the device work that a call to \p E enqueues, or an empty name.
/// Blocking and asynchronous copies count as equal.
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

/// True if \p F, or one of its instances, enqueues work.
bool GraphShapes::enqueuesWork(FunctionId F) const {
  auto Works = [&](FunctionId Each) {
    return (Rel.bits(Each) & Relevance::Works) != 0;
  };
  return Works(F) || llvm::any_of(Table.info(F).Overrides, Works);
}

std::string GraphShapes::nameOfWork(const Op &O, const FlowGraph *G) const {
  if (O.Kind != OpKind::Call)
    return "";
  const catalogue::Entry *Called =
      O.Callee == None ? nullptr : Rel.entryFor(O.Callee);
  // Any callee with a stream argument enqueues work.
  if ((O.How == Dispatch::Indirect ||
       (Called && Called->Does == Effect::Invoke)) &&
      llvm::any_of(O.Args, [](const CallArg &A) { return A.IsStream; }))
    return "a callable";
  if (O.How == Dispatch::Kernel)
    return O.Callee == None ? "a kernel" : Table.info(O.Callee).Name;
  if (G && callsStoredWork(*G, O))
    return "a callable";
  if (O.Callee == None)
    return "";
  if (Called)
    return workOfEntry(*Called);
  bool Works = Rel.bits(O.Callee) & Relevance::Works;
  if (O.How == Dispatch::Virtual && !Works)
    Works = llvm::any_of(Rel.overridersOf(O.Callee), [&](FunctionId F) {
      return (Rel.bits(F) & Relevance::Works) != 0;
    });
  return Works ? Table.info(O.Callee).Name : "";
}

/// The number of the work \p Name. With \p Call, its callee distinguishes
/// functions with that name, such as instances of a template.
unsigned GraphShapes::idOfWork(llvm::StringRef Name, const Op *Call) {
  std::string Key = Name.str();
  if (Call && Call->Callee != None && !Rel.entryFor(Call->Callee))
    Key += "#" + std::to_string(Table.key(Call->Callee));
  auto [It, New] = WorkIds.try_emplace(Key, WorkNames.size());
  if (New)
    WorkNames.push_back(Name.str());
  return It->second;
}

/// True if \p O, in \p B of \p G, passes a function that enqueues work to an
/// algorithm or to std::visit.
bool GraphShapes::passesWork(const FlowGraph &G, const Block &B,
                             const Op &O) const {
  if (O.Callee != None && Rel.Jobs->isPostedBy(O.Callee))
    return false; // it is work of another thread
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
           return enqueuesWork(static_cast<FunctionId>(E->N));
         });
}

/// The largest number of blocks of \p F in which its work is easily determined.
/// A function that captures a graph of its own contains the work of that graph,
/// and checks each step.
size_t GraphShapes::blocksToRead(FunctionId F) const {
  uint16_t Both = Relevance::Begins | Relevance::Ends;
  return (Rel.bits(F) & Both) == Both ? 64 : 8;
}

/// Adds the work of \p B, of \p G, including the work that its callees enqueue,
/// if that is easily determined.
void GraphShapes::addWork(const FlowGraph &G, const Block &B,
                          llvm::SmallVectorImpl<unsigned> &Work,
                          unsigned Depth) {
  for (const Op &O : B.Ops) {
    std::string Name = nameOfWork(O, &G);
    if (Name.empty() && passesWork(G, B, O))
      Name = "a callable";
    if (Name.empty())
      continue;
    bool Chosen =
        O.How == Dispatch::Virtual && !Table.info(O.Callee).Overrides.empty();
    unsigned Blocks = O.How == Dispatch::Kernel || O.Callee == None || Chosen ||
                              Rel.entryFor(O.Callee) || Depth > 1
                          ? 0
                          : Table.blocksIn(O.Callee);
    if (!Blocks || Blocks > blocksToRead(O.Callee)) {
      Work.push_back(idOfWork(Name, &O));
      continue;
    }
    const FlowGraph &Callee = *Table.graph(O.Callee);
    for (const Block &Inner : Callee.Blocks)
      if (!Inner.NeverReturns)
        addWork(Callee, Inner, Work, Depth + 1);
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

bool GraphShapes::differByName(const BranchPair &Two) const {
  auto Names = [&](llvm::ArrayRef<unsigned> Work) {
    std::vector<llvm::StringRef> Result;
    for (unsigned Id : Work)
      Result.push_back(WorkNames[Id]);
    llvm::sort(Result);
    return Result;
  };
  return Two.differ() && Names(Two.Work[0]) != Names(Two.Work[1]);
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

/// True if some branch at the end of \p Block of \p G leads to no call that
/// instantiates a graph, although another does: it aborts the capture.
bool GraphShapes::oneAborts(const FlowGraph &G, unsigned Block) const {
  auto Instantiates = [&](const Op &O) {
    const catalogue::Entry *E = O.Kind == OpKind::Call && O.Callee != None
                                    ? Rel.entryFor(O.Callee)
                                    : nullptr;
    return E && E->Does == Effect::GraphInstantiate;
  };
  llvm::BitVector Makes(G.Blocks.size());
  for (unsigned B = 0; B < G.Blocks.size(); ++B)
    if (llvm::any_of(G.Blocks[B].Ops, Instantiates))
      Makes.set(B);
  if (Makes.none())
    return false;
  bool Some = false, Others = false;
  for (const Edge &From : G.Blocks[Block].Succs) {
    llvm::BitVector Seen(G.Blocks.size());
    llvm::SmallVector<unsigned, 16> Work{From.To};
    bool Reached = false;
    while (!Work.empty() && !Reached) {
      unsigned B = Work.pop_back_val();
      if (Seen.test(B))
        continue;
      Seen.set(B);
      Reached = Makes.test(B);
      for (const Edge &E : G.Blocks[B].Succs)
        if (!E.Failure)
          Work.push_back(E.To);
    }
    (Reached ? Some : Others) = true;
  }
  return Some && Others;
}

/// True if \p Block is one of \p Heads, the heads of the loops of \p G, or
/// evaluates the last operand of the condition of such a loop.
static bool isConditionOfLoop(const FlowGraph &G, const llvm::BitVector &Heads,
                              unsigned Block) {
  if (Heads.test(Block))
    return true;
  return llvm::any_of(Heads.set_bits(), [&](unsigned Head) {
    for (unsigned B = Head; B < Block && G.Blocks[B].Partial;) {
      unsigned Next = Block + 1;
      for (const Edge &E : G.Blocks[B].Succs)
        if (E.To > B && E.To < Next)
          Next = E.To; // the next operand
      if (Next == Block)
        return true;
      B = Next;
    }
    return false;
  });
}

const BranchPair &GraphShapes::branchesOf(const FlowGraph &G, unsigned Block) {
  auto [It, New] = BranchesOf.try_emplace({&G, Block});
  BranchPair &Result = It->second;
  if (!New)
    return Result;
  // Without loops, edges lead to larger numbers, so when a block is the
  // smallest remaining one, its branches are known. When all remaining blocks
  // are on both branches, the branches have met.
  std::map<unsigned, unsigned> Sides; // block -> 1: when false, 2: when true
  size_t Apart = 0; // number of blocks on only one branch so far
  auto Reach = [&](unsigned To, unsigned Side) {
    unsigned &Known = Sides[To];
    unsigned Now = Known | Side;
    Apart += (Now != 3) - (Known == 1 || Known == 2);
    Known = Now;
  };
  for (const Edge &E : G.Blocks[Block].Succs)
    if (E.To > Block && (E.When == EdgeKind::False || E.When == EdgeKind::True))
      Reach(E.To, E.When == EdgeKind::False ? 1 : 2);
  while (Apart &&
         Result.Blocks[0].size() + Result.Blocks[1].size() < MaxBranchBlocks) {
    auto [B, Side] = *Sides.begin();
    Sides.erase(Sides.begin());
    if (Side != 3) {
      --Apart;
      const BlockWork &Does = workOf(G, G.Blocks[B]);
      Result.Blocks[Side - 1].push_back(B);
      llvm::append_range(Result.Work[Side - 1], Does.Names);
      if (!Result.First[Side - 1])
        Result.First[Side - 1] = Does.First;
    }
    for (const Edge &Next : G.Blocks[B].Succs)
      if (Next.To > B)
        Reach(Next.To, Side);
  }
  auto [Targets, Unknown] = BackTargets.try_emplace(&G);
  if (Unknown) {
    Targets->second.resize(G.Blocks.size());
    for (unsigned From = 0; From < G.Blocks.size(); ++From)
      for (const Edge &E : G.Blocks[From].Succs)
        if (E.To <= From)
          Targets->second.set(E.To);
  }
  Result.IsLoop = isConditionOfLoop(G, Targets->second, Block);
  Result.OneAborts = oneAborts(G, Block);
  return Result;
}

} // namespace cudagraph
