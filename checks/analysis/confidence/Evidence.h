//===- Evidence.h - The evidence for a finding ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models and rules state their evidence, and Evidence.def defines how much it
// proves. Nothing else determines a level of confidence.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_CONFIDENCE_EVIDENCE_H
#define CUDAGRAPH_ANALYSIS_CONFIDENCE_EVIDENCE_H

#include "analysis/findings/Finding.h"
#include <cstdint>

namespace cudagraph {

enum class Evidence : uint8_t {
#define EVIDENCE(NAME, LEVEL, KNOWN) NAME,
#include "Evidence.def"
#undef EVIDENCE
};

/// Returns the highest confidence of a finding with evidence \p E.
constexpr Confidence levelOf(Evidence E) {
  constexpr Confidence Levels[] = {
#define EVIDENCE(NAME, LEVEL, KNOWN) Confidence::LEVEL,
#include "Evidence.def"
#undef EVIDENCE
  };
  return Levels[static_cast<unsigned>(E)];
}

/// Returns the weaker of \p A and \p B; \p A if both prove the same.
constexpr Evidence weaker(Evidence A, Evidence B) {
  return levelOf(B) < levelOf(A) ? B : A;
}

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_CONFIDENCE_EVIDENCE_H
