//===- GraphModel.h - Graphs, and their launches ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The differences at the launch of a graph, the selection of the graph, and
// conclusions after the whole walk: whether the graph is stored for later
// calls, whether it is updated, and whether first-call work was done earlier.
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

  /// Records the contents of the variables of \p F, which the function that
  /// ended a capture did not see.
  void returned(const Frame &F, const State &S);

  /// Records values that a test outside captures compares: they select the
  /// graph that is captured or launched.
  void noteKeys(const State &S, ValueId V);

  /// Draws conclusions after the whole walk.
  void conclude();

private:
  void noteContents(const State &S, Retained::Input &From);
  void instantiate(Call &C, State &S);
  void update(Call &C, State &S);
  void noteIgnoredUpdate(Call &C, State &S);
  void noteNodes(Call &C, State &S);
  void nodeChanged(Call &C, State &S);
  void launchOutdated(const Call &C, State &S, ValueId Exec);
  void retain(Call &C, State &S);
  void manage(Call &C, State &S);
  void launch(const Frame &F, State &S, ValueId Exec);
  void noteLaunched(const State &S, const Retained &K);
  bool isStored(CaptureId C) const;
  bool keeps(LocId Root, CaptureId C) const;
  bool outlivesTurn(llvm::StringRef Name, CaptureId C) const;
  bool isIn(const std::set<CaptureId> &Set, CaptureId C) const;
  bool isOld(ValueId Exec, unsigned Depth = 0) const;
  void concludeState();
  void concludeParameters();

  NodeTable &Nodes;
  llvm::DenseSet<ValueId> Keys; ///< values that determine a capture or a graph
  llvm::DenseSet<ValueId> Updated; ///< graphs whose nodes are updated
  /// The calls that change nodes of instantiated graphs.
  std::vector<Fact> NodeChanges;
  /// For each user object: the memory that it owns.
  std::map<ValueId, std::vector<unsigned>> UserObjects;
  /// The functions that were active at the launch of a graph that an earlier
  /// call may have captured.
  std::vector<llvm::DenseSet<FunctionId>> OldLaunches;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_GRAPHMODEL_H
