//===- Renewals.h - Loops that repeat a capture -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If each iteration of a loop repeats a capture, each of the graphs is for the
// values of its iteration.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_RENEWALS_H
#define CUDAGRAPH_ANALYSIS_MODELS_RENEWALS_H

#include "analysis/facts/Frame.h"
#include "analysis/facts/Walk.h"
#include <map>
#include <set>

namespace cudagraph {

class Renewals : Part {
public:
  explicit Renewals(Walk &W) : Part(W) {}

  /// Records the loops in which each iteration repeats the capture \p Begun,
  /// which begins in \p F.
  void note(const Frame &F, CaptureId Begun);

  /// True if \p F is in a loop in which each iteration repeats the capture \p
  /// C.
  bool isAround(const Frame &F, CaptureId C) const;

  /// A block in each function from a frame to the root.
  using Blocks = llvm::SmallVector<std::pair<FunctionId, unsigned>, 4>;
  static Blocks blocksOf(const Frame &F);

  /// True if \p V may have a different value in \p Now, in an iteration of a
  /// loop after the one that captured \p Of. A pointer to one object that
  /// a loop has set before the capture does not change.
  bool differs(ValueId V, CaptureId Of, const Blocks &Now) const;

private:
  bool has(CaptureId C, FunctionId In, unsigned Head) const;
  bool hasEnded(const FlowGraph &G, FunctionId In, unsigned Head, CaptureId Of,
                const Blocks &Now) const;

  /// For each capture: the heads of these loops.
  std::map<CaptureId, std::set<std::pair<FunctionId, unsigned>>> Heads;
  /// Where each capture has begun.
  std::map<CaptureId, Blocks> Began;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_RENEWALS_H
