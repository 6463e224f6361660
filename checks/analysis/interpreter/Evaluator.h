//===- Evaluator.h - Expressions in a state ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FlowGraph.h for expressions and places.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_INTERPRETER_EVALUATOR_H
#define CUDAGRAPH_ANALYSIS_INTERPRETER_EVALUATOR_H

#include "Owners.h"
#include "analysis/domain/Memory.h"
#include "analysis/domain/Truth.h"
#include "analysis/facts/Frame.h"
#include "analysis/facts/Walk.h"
#include "analysis/models/GraphModel.h"
#include "llvm/ADT/DenseSet.h"

namespace cudagraph {

class Evaluator : Part {
public:
  Evaluator(Walk &W, GraphModel &Graphs)
      : Part(W), Sharing(W), Graphs(Graphs) {}

  /// Returns the value of \p E.
  ValueId eval(const Frame &F, ExprId E, State &S);

  /// Returns the location that \p Place denotes.
  LocId evalPlace(const Frame &F, ExprId Place, State &S);

  /// True if \p Object, whose lifetime a smart pointer ends, may have an owner
  /// that is not visible.
  bool isPerhapsOwned(const Frame &F, ExprId Object, State &S);

  const Owners Sharing;

private:
  void noteTable(LocId Global, llvm::StringRef Name);

  llvm::DenseSet<LocId> Met; ///< global variables, by noteTable()
  GraphModel &Graphs;        ///< indices select the graph
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_INTERPRETER_EVALUATOR_H
