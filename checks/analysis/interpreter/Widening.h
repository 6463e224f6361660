//===- Widening.h - Generalizes repeated calls ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The more often the interpreter walks a callee, the fewer differences between
// calls count. First, the numbers among the arguments are ignored, and then the
// contents of memory other than streams, objects, and callables. The bounds are
// in Limits.h.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_INTERPRETER_WIDENING_H
#define CUDAGRAPH_ANALYSIS_INTERPRETER_WIDENING_H

#include "analysis/facts/Frame.h"
#include "analysis/facts/Walk.h"
#include <unordered_map>
#include <utility>

namespace cudagraph {

/// Entries of memory, sorted by location.
using MemoryItems = std::vector<std::pair<LocId, ValueId>>;

class Widening : Part {
public:
  explicit Widening(Walk &W) : Part(W) {}

  /// The number of walks of \p Callee; each counts more after many walks in
  /// total.
  unsigned timesWalked(FunctionId Callee) const;

  /// The number of walks of \p Callee and of similar functions; used after many
  /// walks in total.
  unsigned walksAlike(FunctionId Callee) { return alike(Callee); }

  /// The number of walks of a callee that is sufficient; used after many walks
  /// in total.
  unsigned enoughWalks() const;

  /// Counts another walk of \p Callee.
  void note(FunctionId Callee);

  /// True if \p Innermost must not be walked because it is too deep, or because
  /// its function was walked too often.
  bool isTooMuch(const Frame &Innermost) const;

  /// True if the function of \p Innermost is on the stack many times because it
  /// calls itself, each time with different arguments (equal calls share a
  /// walk). Its effect has been seen.
  bool isDeepRecursion(const Frame &Innermost) const;

  /// Replaces the arguments and the memory that no longer count for calls to \p
  /// Callee.
  void generalise(FunctionId Callee, const FlowGraph &G, const State &S,
                  llvm::SmallVectorImpl<ValueId> &Args, ValueId &This,
                  MemoryItems &Visible);

private:
  unsigned &alike(FunctionId Callee);
  bool isDeepCapturing(const Frame &Innermost) const;

  std::unordered_map<FunctionId, unsigned> Walks;
  std::unordered_map<uint64_t, unsigned> WalksAlike; ///< by likeness
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_INTERPRETER_WIDENING_H
