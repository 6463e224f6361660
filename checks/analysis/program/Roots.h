//===- Roots.h - Where walks start ------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk starts in the outermost function of a translation unit that begins a
// capture, directly or through what it calls, anywhere in the program. It
// starts further out, in another unit, only if a capture is begun here and
// ended there, or the other way round: starting in `main` would tell more about
// a stream now and then, and would make every walk as large as the program.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_ROOTS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_ROOTS_H

#include "analysis/findings/Finding.h"
#include "analysis/findings/Options.h"
#include "analysis/ir/FlowGraph.h"
#include "analysis/ir/Registration.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <set>
#include <vector>

namespace cudagraph {

class Program;
class Relevance;

struct Root {
  FunctionId Function = None;
  /// What makes the whole function captured code; none: it begins captures.
  std::optional<RootKind> Assumed;
};

/// As what the function of \p R is treated when it is a root.
RootKind rootOf(const Registration &R);

/// Finds the roots of \p Table.
class RootFinder {
public:
  RootFinder(Program &Table, const Relevance &Rel);

  /// The outermost functions that begin captures.
  std::vector<Root> outermost() const;
  /// Those that no walk from outermost() has reached, given the stable ids of
  /// those that were visited: cycles, callbacks, code that nobody calls. To be
  /// asked for one at a time, because a walk may visit others: returns the
  /// first after \p After.
  std::optional<Root> missed(const std::set<uint64_t> &Visited,
                             size_t &After) const;
  /// Functions that are declared or asked to be captured code. \p OptionsOf
  /// says with which options the unit of a function is analysed.
  std::vector<Root>
  assumed(llvm::function_ref<const AnalysisOptions &(FunctionId)> OptionsOf);

private:
  bool opens(FunctionId F) const;
  Program &Table;
  const Relevance &Rel;
  std::vector<FunctionId> Functions;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_ROOTS_H
