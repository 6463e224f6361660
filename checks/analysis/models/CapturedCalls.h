//===- CapturedCalls.h - Calls in which captures began ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a call passes a different number from the call that captured, it launches
// a graph with the earlier number. If other numbers of the call are the key of
// the graph, only calls with the same key launch that graph.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_CAPTUREDCALLS_H
#define CUDAGRAPH_ANALYSIS_MODELS_CAPTUREDCALLS_H

#include "NodeTable.h"
#include "analysis/facts/Frame.h"
#include "analysis/facts/Walk.h"
#include <set>

namespace cudagraph {

class CapturedCalls : Part {
public:
  CapturedCalls(Walk &W, Invoker &Calls, NodeTable &Nodes)
      : Part(W), Calls(Calls), Nodes(Nodes) {}

  /// Records the calls in which the capture \p Begun has begun.
  void note(const Frame &F, const State &S, CaptureId Begun);

  /// Returns the numbers that a call to \p Callee with \p Args on \p This
  /// passes.
  PassedNumbers numbersIn(const State &S, FunctionId Callee,
                          llvm::ArrayRef<ValueId> Args, ValueId This) const;

  /// Returns the parts of parameters of \p Callee that are the key of the graph
  /// of \p X, if that graph is one of several.
  std::set<LocId> keysIn(CaptureId X, FunctionId Callee) const;

  /// True if the key of the graph of \p X, one of several, contains a member of
  /// the class to which the member at \p L belongs: another object has another
  /// graph.
  bool isOfKeyObject(CaptureId X, LocId L) const;

  /// True if a call to \p Callee in which the capture \p X began passed the
  /// same numbers at \p Keys as the call \p Now, and a different number at \p
  /// L.
  bool differ(const PassedNumbers &Now, FunctionId Callee, CaptureId X,
              const std::set<LocId> &Keys, LocId L) const;

  /// True if the calls to \p Callee in which the capture \p X began are known,
  /// and none of them was a call on the object \p This.
  bool isFirstCall(FunctionId Callee, CaptureId X, ValueId This) const;

  /// True if the argument \p Arg of the call \p O in \p F and the object of the
  /// call depend on the same place, such as the index of an element: each
  /// object may always receive the same number.
  bool selectsObject(const Frame &F, const Op &O, State &S, ExprId Arg) const;

private:
  Invoker &Calls;
  NodeTable &Nodes;
};

/// True if \p V is, or may be, a number that is not in \p Before.
bool isOtherNumber(const Domain &D, ValueId V, llvm::ArrayRef<ValueId> Before);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_CAPTUREDCALLS_H
