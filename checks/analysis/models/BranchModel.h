//===- BranchModel.h - Branches and callbacks -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A branch in a region is decided once, for all replays. Only the device work
// on each side matters: whether it differs because a stream captures, because
// this is the first call, or because of state that changes later. A host node
// runs on every replay: its calls are analyzed as the graph will run them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_BRANCHMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_BRANCHMODEL_H

#include "Model.h"
#include "NodeTable.h"
#include <map>

namespace cudagraph {

class BranchModel : public Model {
public:
  BranchModel(Services &Use, const NodeTable &Nodes)
      : Model(Use), Nodes(Nodes) {}

  /// Handles a branch on \p Cond during a capture. \returns its two sides, or
  /// null if nothing depends on it.
  const BranchPair *note(Frame &F, State &S, const Block &B, ValueId Cond);

  /// True if the decision of block \p At of \p G sets a variable that
  /// determines the work of an enclosing loop, as a jump of an interpreter
  /// does.
  bool steers(const FlowGraph &G, unsigned At);

  /// Notes that the host waits for the device in a loop that block \p B of \p F
  /// leaves. \returns false if it does not.
  bool noteWait(Frame &F, State &S, const Block &B);

  /// Handles work that is done only on the first call, under a flag that the
  /// work sets.
  void noteLazy(Frame &F, State &S, const Block &B, ValueId Cond,
                const BranchPair &Two);

private:
  /// The memory for which a loop waits, and the location where it reads it,
  /// other than in a condition.
  struct WaitedFor {
    llvm::SmallVector<ExprId, 4> Places;
    Span Read;
    bool Plain = true; ///< no function in the loop may write to the memory
  };
  WaitedFor waitedFor(const FlowGraph &G, unsigned At) const;
  bool isOfDevice(LocId L, State &S);
  bool isWrittenByNodes(LocId L, const State &S) const;
  void noteOneStream(Frame &F, State &S, const Block &B, ValueId Cond,
                     const BranchPair &Two);
  void noteAware(Frame &F, State &S, const Block &B, ValueId Cond,
                 const BranchPair &Two);
  bool doesOnce(const FlowGraph &G, llvm::ArrayRef<unsigned> Blocks,
                ExprId Cond, bool Holds, ExprId Flag);
  std::string setFlag(const FlowGraph &G, llvm::ArrayRef<unsigned> Blocks,
                      llvm::ArrayRef<ExprId> Flags);

  const NodeTable &Nodes;
  std::map<std::pair<const FlowGraph *, unsigned>, bool> Steering;
  std::map<std::pair<const FlowGraph *, unsigned>, WaitedFor> Waits;
};

/// The functions of host nodes.
class HostNodeModel : public Model {
public:
  using Model::Model;

  void after(Call &C, State &S) override;

  /// Handles a CUDA call in a host node, which CUDA refuses when the graph
  /// runs.
  void noteCall(Frame &F, const Op &O, const State &S, llvm::StringRef Name);
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_BRANCHMODEL_H
