//===- ElementChoice.h - The element that a call uses -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One value stands for the graphs, or the streams, of all elements of a
// container. The source shows which element a call uses: the one that a loop
// visits, or the one with a known index.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_ELEMENTCHOICE_H
#define CUDAGRAPH_ANALYSIS_MODELS_ELEMENTCHOICE_H

#include "analysis/domain/Domain.h"
#include "analysis/facts/Frame.h"

namespace cudagraph {

struct ElementChoice {
  /// A loop uses each element once, in its own iteration.
  bool Visited = false;
  /// The known indexes, from the outermost container inward.
  llvm::SmallVector<int64_t, 2> Indexes;

  bool isKnown() const { return Visited || !Indexes.empty(); }

  /// Identifies the choice with 16 bits; 0 if a loop makes it.
  int64_t number() const;
};

/// Returns the choice of the element from which \p F, or a caller that passes
/// the element or an index, obtains \p E. The elements are those of one
/// container; the object of a method does not count as an element.
ElementChoice choiceOf(const Domain &D, const Frame &F, ExprId E);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_ELEMENTCHOICE_H
