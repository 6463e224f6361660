//===- Evaluate.h - The findings from one root ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of a root depends only on the functions that it reaches, so it can
// be cached until one of them changes. The results of all roots are combined
// into the report.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_RULES_EVALUATE_H
#define CUDAGRAPH_RULES_EVALUATE_H

#include "analysis/findings/Finding.h"
#include "analysis/program/GraphShapes.h"
#include "analysis/program/Limits.h"
#include "analysis/program/Program.h"
#include "analysis/program/Relevance.h"
#include "analysis/program/Roots.h"
#include <optional>
#include <vector>

namespace cudagraph {

/// The findings from one root, before filtering and merging.
struct RootResult {
  std::vector<Region> Regions; ///< one for each capture; Id counts from 1
  std::vector<Finding>
      Findings; ///< one for each path; Regions are Ids of these
  std::vector<OpaqueCall> OpaqueCalls;
  std::vector<uint64_t>
      Visited; ///< stable IDs of functions that may not need a separate walk
  std::vector<std::string> Freezes; ///< see Operator
  bool BudgetExceeded = false;
  bool OutOfTime = false; ///< not stored in a cache
  uint64_t Steps = 0;     ///< that the walk took
  uint64_t Work = 0;      ///< its cost in the budget of the run
};

/// Caches results between runs.
class RootStore {
public:
  virtual ~RootStore();
  /// The result that was stored under \p Key, if any.
  virtual std::optional<RootResult> load(uint64_t Key) = 0;
  virtual void store(uint64_t Key, const RootResult &Result) = 0;
};

/// Walks the program from \p From and applies every rule.
RootResult evaluateRoot(Program &Linked, const Relevance &Rel,
                        const catalogue::Catalogue &Catalogue,
                        GraphShapes &Shapes, const Root &From,
                        const WalkLimits &Limits);

/// Converts \p Result to bytes and back; returns std::nullopt if \p Bytes are
/// damaged.
std::string encodeResult(const RootResult &Result);
std::optional<RootResult> decodeResult(llvm::StringRef Bytes);

} // namespace cudagraph

#endif // CUDAGRAPH_RULES_EVALUATE_H
