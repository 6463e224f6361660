//===- NodeModel.h - The arguments of nodes ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See NodeTable.h.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_NODEMODEL_H
#define CUDAGRAPH_ANALYSIS_MODELS_NODEMODEL_H

#include "Inputs.h"
#include "Model.h"
#include "NodeTable.h"

namespace cudagraph {

class NodeModel : public Model {
public:
  NodeModel(Services &Use, NodeTable &Nodes)
      : Model(Use), Nodes(Nodes), Sources(Use.W, Use.Calls) {}

  void after(Call &C, State &S) override;

  /// Records operators of a framework in a region: nodes retain the memory of
  /// their tensors, and their numeric arguments.
  void retainTensors(Frame &F, const Op &O, State &S, FunctionId Callee,
                     ValueId This, llvm::ArrayRef<ValueId> Args);

  /// Records the condition \p Text of a branch, which is decided once. \p Part:
  /// "loop", "switch", or empty.
  void retainBranch(Frame &F, const Op &O, State &S, ValueId Cond, ExprId Text,
                    const char *Part);

  /// Records the selection of the function or kernel that \p O calls, which is
  /// made once. \p Chosen: the callable, or the object. \p Part: "function" or
  /// "kernel". \p By: the argument that selects it, if any.
  void retainChoice(Frame &F, const Op &O, State &S, ValueId Chosen,
                    const char *Part, const CallArg *By = nullptr);

private:
  /// The facts about the current node.
  struct Node {
    Frame &F;
    const Op &O;
    State &S;
    const catalogue::Entry *Api = nullptr;
    Evidence Stream = Evidence::LibraryStream; ///< evidence that it is a node
    std::optional<int64_t> Bytes;              ///< evidence that it copies
    bool FromHost = false;                     ///< it copies from the host
  };
  std::optional<Evidence> streamOf(const Call &C, const State &S) const;
  void renew(const Node &N, const Call &C);
  void waited(const Call &C);
  void retainArgs(const Node &N, const Call &C);
  void retainConfig(const Node &N, const Call &C);
  void retainExtents(const Node &N, const Call &C);
  bool retainLaunch(const Node &N, const Call &C);
  void retainWork(const Node &N, const Call &C);
  /// The inputs of an argument, and its part of a launch.
  struct Origin {
    LocId Place = None; ///< the variable that it was read from
    Inputs::Places From;
    const char *Part = "";
    unsigned Within = 0;     ///< elements on the path that are in their arrays
    std::string Member = {}; ///< of a structure, or the variable in an array
  };
  Origin originOf(const Node &N, ExprId E, Inputs::As Is = Inputs::Value);
  void keep(const Node &N, RetainedAs As, ValueId V, Span Text, Origin From,
            unsigned Sort);
  bool describe(Retained &K, ValueId V);
  Evidence streamEvidence(Retained &K, const Node &N) const;
  void index(const Retained &K, bool Address);
  void retainStruct(const Node &N, ValueId V, Span Text, const Origin &From);
  void findDependencies(const Frame &F, Retained &K);
  ValueId passedValue(const State &S, const Retained &K, LocId Place) const;
  ValueId numberAt(const Node &N, const Frame &Outer, LocId Place);
  void notePassed(const Node &N, const Retained &K, Retained::Input &From);
  void noteFrozen(const Frame &F, const Retained &K);
  LocId placeOf(const Frame &F, ExprId E, State &S);
  bool isWithin(LocId L, unsigned Elements) const;
  LocId metAt(ValueId Phi) const;
  bool isMadeOnce(LocId L) const;
  bool frozen(const Retained &K);
  void passed(const Retained &K, const Node &N, const std::string &Member);
  bool seeds(const Node &N, llvm::StringRef Name) const;
  bool isChecked(const Retained &K) const;
  bool isReturned(const Retained &K, const WriteSummary::Change &Adds,
                  llvm::StringRef Name) const;
  void grows(const Retained &K, const State &S);
  llvm::SmallVector<std::string, 3> pathOf(LocId L) const;

  NodeTable &Nodes;
  Inputs Sources;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_NODEMODEL_H
