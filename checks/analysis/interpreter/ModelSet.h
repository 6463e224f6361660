//===- ModelSet.h - The set of models, and their order ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A catalogued call is prepared, passed to the model of its effect, and then to
// each model that examines all calls.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_INTERPRETER_MODELSET_H
#define CUDAGRAPH_ANALYSIS_INTERPRETER_MODELSET_H

#include "analysis/models/AccessModel.h"
#include "analysis/models/BranchModel.h"
#include "analysis/models/CaptureModel.h"
#include "analysis/models/ChangeModel.h"
#include "analysis/models/GraphModel.h"
#include "analysis/models/HostModel.h"
#include "analysis/models/LibraryModel.h"
#include "analysis/models/LifetimeModel.h"
#include "analysis/models/NodeModel.h"
#include "analysis/models/OutcomeModel.h"
#include "analysis/models/ReplayModel.h"
#include "analysis/models/StepModel.h"
#include "analysis/models/StreamModel.h"
#include "analysis/models/TensorModel.h"
#include "analysis/models/ThreadModel.h"

namespace cudagraph {

class ModelSet : public Listener, Part {
public:
  ModelSet(Walk &W, Invoker &Calls);

  Services Use;
  NodeTable Nodes;
  CaptureModel Captures;
  StreamModel Streams;
  AccessModel Accesses;
  ThreadModel Threads;
  LibraryModel Libraries;
  HostModel Host;
  BranchModel Branches;
  HostNodeModel HostNodes;
  NodeModel Retained;
  LifetimeModel Lifetimes;
  GraphModel Graphs;
  ReplayModel Replays;
  StepModel Steps;
  ChangeModel Changes;
  TensorModel Tensors;
  OutcomeModel Outcomes;

  /// Applies the effect of the catalogued call \p C to \p S.
  States apply(Call C, State S);

  /// The same for an operator of a framework. \p Braces: the tensors in its
  /// braced list.
  States applyOperator(Call C, State S, llvm::ArrayRef<ValueId> Braces);

  /// Handles the launch of a kernel by `<<<>>>`. \p Kernel: the value that
  /// identifies it, or None if it is called by its name.
  void launch(Frame &F, const Op &O, State &S, ValueId Kernel,
              llvm::ArrayRef<ValueId> Config, llvm::ArrayRef<ValueId> Args);

  // Listener: forwards each event to the models that it concerns.
  void captureBegan(Frame &F, const Op &O, State &S) override;
  void captureEnds(Frame &F, const Op &O, State &S, CaptureId C,
                   const catalogue::Entry *E) override;
  void captureLeft(State &S, CaptureId C) override;
  void captureEnded(State &S, CaptureId C) override;

private:
  States applyNow(Call C, State S);
  Model &modelOf(catalogue::Effect E);
  States inCallback(Call &C, State S);
  bool prepare(Call &C, State &S, bool &OnHost);
  bool resolvePolicy(Call &C);
  void resolveConfig(Call &C, State &S, ValueId Config);
  ValueId returned(const Call &C, const State &S, ValueId Opaque);
  void forgetWritten(const Call &C, State &S);
  States invoke(Call &C, State S);
  void report(Call &C, State &S);
  void follow(Call &C, State &S);
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_INTERPRETER_MODELSET_H
