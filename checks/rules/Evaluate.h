//===- Evaluate.h - What is found from one root -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A root's result depends on the functions it reaches and on nothing else, so
// that it can be kept until one of them changes. Results of all roots are
// combined into what the user sees.
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

/// What is found from one root, before anything is filtered or merged.
struct RootResult {
  std::vector<Region> Regions;   ///< one a capture; Id counts from 1
  std::vector<Finding> Findings; ///< one a way; Regions are Ids of these
  std::vector<OpaqueCall> OpaqueCalls;
  std::vector<uint64_t>
      Visited; ///< stable ids of what may not need a walk of its own
  std::vector<std::string> Freezes; ///< see Operator
  bool BudgetExceeded = false;
  bool OutOfTime = false; ///< never in a store
  uint64_t Steps = 0;     ///< that the walk took
  uint64_t Work = 0;      ///< what it counts for in the run's budget
};

/// Remembers results between runs.
class RootStore {
public:
  virtual ~RootStore();
  /// The result that was stored under \p Key, if any.
  virtual std::optional<RootResult> load(uint64_t Key) = 0;
  virtual void store(uint64_t Key, const RootResult &Result) = 0;
};

/// Walks the program from \p From and lets every rule speak.
RootResult evaluateRoot(Program &Linked, const Relevance &Rel,
                        const catalogue::Catalogue &Catalogue,
                        GraphShapes &Shapes, const Root &From,
                        const WalkLimits &Limits);

/// \p Result as bytes, and back; std::nullopt if \p Bytes are damaged.
std::string encodeResult(const RootResult &Result);
std::optional<RootResult> decodeResult(llvm::StringRef Bytes);

} // namespace cudagraph

#endif // CUDAGRAPH_RULES_EVALUATE_H
