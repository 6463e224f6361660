//===- GraphModel.h - Graphs, and their launches ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is different when a graph is launched, what decides which graph that is,
// and what can be said only when all has been walked: whether the graph is
// stored for later calls, whether somebody brings it up to date, whether
// first-call work has been done before.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_GRAPHMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_GRAPHMODEL_H

#include "Model.h"
#include "NodeTable.h"

namespace cudagraph {

class GraphModel : public Model {
public:
  GraphModel(Services &Use, NodeTable &Nodes) : Model(Use), Nodes(Nodes) {}

  Then apply(Call &C, State &S) override;
  void captureEnded(State &S, CaptureId C) override;

  /// What a test that nothing captures yet compares decides which graph is
  /// captured, or launched.
  void noteKeys(const State &S, ValueId V);

  /// What can be said only when all has been walked.
  void conclude();

private:
  void instantiate(Call &C, State &S);
  void update(Call &C, State &S);
  void retain(Call &C, State &S);
  void manage(Call &C, State &S);
  void launch(const Frame &F, State &S, ValueId Exec);
  void noteLaunched(const State &S, const Kept &K);
  bool isStored(CaptureId C) const;
  bool keeps(LocId Root, CaptureId C) const;
  bool outlivesTurn(llvm::StringRef Name, CaptureId C) const;
  bool isIn(const std::set<CaptureId> &Set, CaptureId C) const;
  void concludeState();
  void concludeParameters();

  NodeTable &Nodes;
  llvm::DenseSet<ValueId> Keys;    ///< that decide about a capture or a graph
  llvm::DenseSet<ValueId> Updated; ///< graphs whose nodes are set anew
  /// By user object: the memory that it looks after.
  std::map<ValueId, std::vector<unsigned>> UserObjects;
  /// A launch of a graph that an earlier call may have captured: the functions
  /// that were active.
  std::vector<llvm::DenseSet<FunctionId>> OldLaunches;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_GRAPHMODEL_H
