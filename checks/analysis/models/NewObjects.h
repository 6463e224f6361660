//===- NewObjects.h - Objects that a function has created -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All objects that one expression creates have one name. A factory that creates
// an object, calls a method that fills it, and captures a graph that uses it
// does not change the objects of its earlier calls.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_NEWOBJECTS_H
#define CUDAGRAPH_ANALYSIS_MODELS_NEWOBJECTS_H

#include "Model.h"
#include "analysis/program/FreshObjects.h"

namespace cudagraph {

class NewObjects : Part {
public:
  explicit NewObjects(Walk &W) : Part(W) {}

  /// Returns the objects that the function of \p F has created.
  const FreshObjects &of(const Frame &F) {
    return Fresh.try_emplace(F.Function, Rel, *F.Graph).first->second;
  }

  /// True if \p F, or a caller, is a method of the object with the part \p L,
  /// and the function of capture \p C has created that object and calls the
  /// method before it captures.
  bool fills(const Frame &F, LocId L, CaptureId C);

private:
  std::map<FunctionId, FreshObjects> Fresh;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_NEWOBJECTS_H
