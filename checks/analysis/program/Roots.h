//===- Roots.h - The roots of walks -----------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk starts in the outermost function of a translation unit that begins a
// capture, directly or through its callees, anywhere in the program. It starts
// in a caller in another unit only if a capture begins here and ends there, or
// vice versa. Starting in `main` would sometimes provide more information
// about a stream, but would make every walk as large as the program.
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
  /// The reason why the whole function is captured code; none: it begins
  /// captures.
  std::optional<RootKind> Assumed;
};

/// The kind of root for the function of \p R.
RootKind rootOf(const Registration &R);

/// Finds the roots of \p Table.
class RootFinder {
public:
  RootFinder(Program &Table, const Relevance &Rel);

  /// The outermost functions that begin captures.
  std::vector<Root> outermost() const;
  /// Those that no walk from outermost() has reached, given the stable IDs of
  /// the visited functions: cycles, callbacks, and code without a caller.
  /// Returns the first after \p After; call it for one at a time, because a
  /// walk may visit others.
  std::optional<Root> missed(const std::set<uint64_t> &Visited,
                             size_t &After) const;
  /// Functions that are declared or requested to be captured code. \p OptionsOf
  /// returns the options with which the unit of a function is analyzed.
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
