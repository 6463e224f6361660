//===- GraphShapes.h - Properties of flow graphs ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties of flow graphs that do not depend on a state: the blocks on every
// path, the loops that capture, the work of the two branches of a block, and
// the blocks that run only while a stream captures. All walks of a program
// share them, so that each graph is examined once. Every answer about a whole
// graph is computed in roughly linear time in the size of the graph.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_GRAPHSHAPES_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_GRAPHSHAPES_H

#include "LentSlots.h"
#include "MemoryPools.h"
#include "Program.h"
#include "Relevance.h"
#include "Vetting.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace cudagraph {

/// The work of the two branches of a block until they meet again.
struct BranchPair {
  /// Device work of each branch: kernels and functions, as numbers for
  /// GraphShapes::workName(), sorted. Instances of a template count as
  /// different work with the same name.
  std::vector<unsigned> Work[2];
  std::vector<unsigned> Blocks[2]; ///< those of only one branch
  /// The first work of each branch, or objects created for later calls; or
  /// null.
  const Op *First[2] = {nullptr, nullptr};
  bool IsLoop = false; ///< the block is the head of a loop
  /// One branch instantiates no graph, although the other does.
  bool OneAborts = false;
  bool differ() const { return Work[0] != Work[1]; }
};

class GraphShapes {
public:
  GraphShapes(Program &Table, const Relevance &Rel)
      : Pools(Table, Rel), Slots(Table, Rel), Searches(Table, Rel),
        Table(Table), Rel(Rel) {}

  MemoryPools Pools;
  LentSlots Slots;
  Vetting Searches;

  /// True for a block that leaves the function with a failure: according to its
  /// result, or because it only prints before it leaves.
  bool isErrorExit(const Block &B);

  /// True for a function of the program that only writes messages.
  bool isLogger(FunctionId F) const;

  /// True if every path in \p G from block \p From without a failure passes
  /// block \p To.
  bool mustReach(const FlowGraph *G, unsigned From, unsigned To);

  /// True if each iteration of the innermost loop of \p G around \p Block
  /// passes that block.
  bool passesEachRound(const FlowGraph *G, unsigned Block);

  /// True if some path in \p G from block \p From to block \p To passes block
  /// \p Via, and neither of the two in between.
  bool mayPass(const FlowGraph &G, unsigned From, unsigned Via, unsigned To);

  /// True if every path in \p G to block \p To passes block \p First.
  bool isOnlyAfter(const FlowGraph &G, unsigned First, unsigned To) const;

  /// True if some path in \p G from block \p From may end a capture, directly
  /// or through a pointer that may point to a function that ends one.
  bool endsAfter(const FlowGraph &G, unsigned From);

  /// Headers of the loops of \p F whose bodies begin or end a capture; \p G is
  /// the graph of \p F. Such loops iterate over the streams of several devices,
  /// both to begin and to end captures: a path that skips one of the loops does
  /// not exist.
  const std::set<unsigned> &capturingLoops(FunctionId F, const FlowGraph &G);

  /// Headers of the loops of \p F over the elements of containers whose bodies
  /// enqueue work. Outside captures, such a loop is a warm-up: a path that
  /// skips it, although a later loop captures the same work, does not exist.
  const std::set<unsigned> &workingLoops(FunctionId F, const FlowGraph &G);

  /// The same for loops whose body records events or waits for them. Such loops
  /// iterate over the streams of a program, to fork and to join, with equal
  /// numbers of iterations.
  const std::set<unsigned> &forkingLoops(FunctionId F, const FlowGraph &G);

  /// The same for loops whose body uses streams, events, library handles, or
  /// memory, in calls that create, free, record, wait for, or set them.
  const std::set<unsigned> &handlingLoops(FunctionId F, const FlowGraph &G);

  /// The initializers of the constant structure or table \p Name, as a flow
  /// graph and indices of its operations; null if there is none.
  struct Rows {
    const FlowGraph *Graph = nullptr;
    std::vector<unsigned> Ops;
    bool Doubtful = false; ///< there are several with that name
  };
  const Rows *rowsOf(llvm::StringRef Name);

  /// The work of the two branches of \p Block of \p G before they meet.
  const BranchPair &branchesOf(const FlowGraph &G, unsigned Block);

  /// True if the cases of the switch at the end of \p Block of \p G do
  /// different work.
  bool casesDiffer(const FlowGraph &G, unsigned Block);

  /// True if the two branches of \p Two do work with different names.
  bool differByName(const BranchPair &Two) const;

  /// The work with the number \p Id in BranchPair::Work.
  const std::string &workName(unsigned Id) const { return WorkNames[Id]; }

  /// The device work of \p O, or an empty string. \p G, its graph, shows what a
  /// call through a variable or a member may reach.
  std::string nameOfWork(const Op &O, const FlowGraph *G = nullptr) const;

  /// The same, and objects created for later calls.
  std::string nameOfFirstWork(const Op &O) const;

  /// True if \p Block of \p F is in a branch that depends on whether a stream
  /// is capturing. Such a branch handles the capture, so it may change host
  /// state.
  bool knowsOfCapture(FunctionId F, unsigned Block);

  /// True if \p Cond, in the graph of \p F, contains the answer to whether a
  /// stream is capturing.
  bool asksForCapture(FunctionId F, ExprId Cond);

  /// If only functions that capture set \p Key, a member or global that
  /// conditions of captures read, returns one of them; otherwise None.
  FunctionId captureThatSets(llvm::StringRef Key) const;

  /// Returns true if \p O, in \p G, calls a function that captures, and that
  /// stores its parameter, for which \p O passes \p Value, in the member or
  /// global \p Key; or a property of the parameter, such as the size of a
  /// container. \p Depth: the number of calls to it.
  bool storesArgument(const FlowGraph &G, const Op &O, ExprId Value,
                      llvm::StringRef Key, unsigned Depth = 0) const;

  /// True if \p Cond, in the graph of \p F, depends on the program's own
  /// records of its captures.
  bool asksForRecord(FunctionId F, ExprId Cond);

  /// True if \p Block of \p F is executed only after a test has shown that a
  /// table does not contain a key, or has added the key.
  bool fillsNewElement(FunctionId F, unsigned Block);

  /// True if \p Place, in the graph of \p F, is part of an element whose key is
  /// a counter that \p F increments and that is never reset: no earlier element
  /// has this key.
  bool hasNewKey(FunctionId F, ExprId Place) const;

private:
  /// The blocks on every path, as a tree: B is below A if every path from B
  /// passes A.
  struct PassTree {
    static constexpr unsigned Nowhere = ~0u;
    std::vector<unsigned> Enter, Leave; ///< by block: interval in the tree
  };
  PassTree passTree(const FlowGraph &G);

  /// The device work of one block itself.
  struct BlockWork {
    llvm::SmallVector<unsigned, 2> Names;
    const Op *First = nullptr;
  };
  const BlockWork &workOf(const FlowGraph &G, const Block &B);
  bool passesWork(const FlowGraph &G, const Block &B, const Op &O) const;
  bool oneAborts(const FlowGraph &G, unsigned Block) const;
  bool enqueuesWork(FunctionId F) const;
  size_t blocksToRead(FunctionId F) const;
  bool callsStoredWork(const FlowGraph &G, const Op &O) const;
  void addWork(const FlowGraph &G, const Block &B,
               llvm::SmallVectorImpl<unsigned> &Work, unsigned Depth);
  unsigned idOfWork(llvm::StringRef Name, const Op *Call = nullptr);

  /// The parts of a graph that contain the answer to whether a stream is
  /// capturing: results of calls, then variables.
  struct Answers {
    std::set<int64_t> Results, Vars, Temps;
  };
  const Answers &answersIn(FunctionId F, unsigned Depth);
  static bool mentions(const FlowGraph &G, const Answers &A, ExprId Id);
  /// The same for parts that contain records.
  const Answers &recordsIn(FunctionId F);
  bool mentionsRecord(const FlowGraph &G, const Answers &A, ExprId Id) const;

  Program &Table;
  const Relevance &Rel;
  std::unordered_map<const FlowGraph *, PassTree> Passes;
  /// Indexed by graph and by the three blocks.
  std::map<std::tuple<const FlowGraph *, unsigned, unsigned, unsigned>, bool>
      Passed;
  std::unordered_map<const FlowGraph *, std::set<unsigned>> LoopHeaders;
  std::unordered_map<const FlowGraph *, std::set<unsigned>> ForkHeaders;
  std::unordered_map<const FlowGraph *, std::set<unsigned>> WorkHeaders;
  std::unordered_map<const FlowGraph *, std::set<unsigned>> HandlingHeaders;
  std::optional<llvm::StringMap<Rows>> Tables;
  std::unordered_map<const FlowGraph *, llvm::BitVector> BackTargets;
  std::unordered_map<const Block *, bool> ErrorExits;
  std::unordered_map<const Block *, BlockWork> Works;
  std::map<std::pair<const FlowGraph *, unsigned>, BranchPair> BranchesOf;
  llvm::StringMap<unsigned> WorkIds;
  std::vector<std::string> WorkNames;
  std::map<FunctionId, Answers> AnswersOf, RecordsOf;
  std::unordered_map<FunctionId, llvm::BitVector> Knowing, Filling;
};

/// Returns true if \p O, a virtual call or a call through a pointer in \p G,
/// may reach a function that begins a capture, and another that ends it: the
/// steps of a state machine.
bool callsSteps(const Relevance &Rel, const FlowGraph &G, const Op &O);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_GRAPHSHAPES_H
