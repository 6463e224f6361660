//===- FreshObjects.h - Objects that a function has just created *- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes that a function makes to an object that it has allocated itself are
// part of the construction of that object. They do not change an object that
// other code uses.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_FRESHOBJECTS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_FRESHOBJECTS_H

#include "Relevance.h"
#include "llvm/ADT/DenseSet.h"

namespace cudagraph {

class FreshObjects {
public:
  FreshObjects(const Relevance &R, const FlowGraph &G);

  /// True for a part of an object that the function has created.
  bool has(ExprId Place) const;

private:
  const FlowGraph &G;
  /// Variables that point only to objects that the function has allocated.
  llvm::DenseSet<int64_t> Pointers;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_FRESHOBJECTS_H
