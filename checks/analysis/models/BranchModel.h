//===- BranchModel.h - What branches and callbacks are for ------*- C++ -*-===//
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

#ifndef CUDAGRAPH_ANALYSIS_MODELS_BRANCHMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_BRANCHMODEL_H

#include "Model.h"
#include <map>

namespace cudagraph {

class BranchModel : public Model {
public:
  using Model::Model;

  /// A branch under a capture, on \p Cond. \returns the two ways that it
  /// decides between, or null if nothing depends on it.
  const Arms *note(Frame &F, State &S, const Block &B, ValueId Cond);

  /// True if what block \p At of \p G decides sets a variable by which a loop
  /// around it decides what work to do, as a jump of an interpreter does.
  bool steers(const FlowGraph &G, unsigned At);

  /// Work that is done on the first call only, under a flag that the work sets.
  void noteLazy(Frame &F, State &S, const Block &B, ValueId Cond,
                const Arms &Two);

private:
  void noteAware(Frame &F, State &S, const Block &B, ValueId Cond,
                 const Arms &Two);
  bool doesOnce(const FlowGraph &G, llvm::ArrayRef<unsigned> Blocks,
                ExprId Cond, bool Holds, ExprId Flag);
  std::string setFlag(const FlowGraph &G, llvm::ArrayRef<unsigned> Blocks,
                      llvm::ArrayRef<ExprId> Flags);

  std::map<std::pair<const FlowGraph *, unsigned>, bool> Steering;
};

/// The functions of host nodes.
class HostNodeModel : public Model {
public:
  using Model::Model;

  void after(Call &C, State &S) override;

  /// A host node calls CUDA, which CUDA refuses when the graph runs.
  void noteCall(Frame &F, const Op &O, const State &S, llvm::StringRef Name);
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_BRANCHMODEL_H
