//===- Evidence.h - What a finding rests on ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models and rules say what they know, and Evidence.def says how much that
// proves. Nothing else turns knowledge into a level of confidence.
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

/// Returns how certain a finding can be that rests on \p E.
constexpr Confidence levelOf(Evidence E) {
  constexpr Confidence Levels[] = {
#define EVIDENCE(NAME, LEVEL, KNOWN) Confidence::LEVEL,
#include "Evidence.def"
#undef EVIDENCE
  };
  return Levels[static_cast<unsigned>(E)];
}

/// Returns the weaker of \p A and \p B; \p A if both prove as much.
constexpr Evidence weaker(Evidence A, Evidence B) {
  return levelOf(B) < levelOf(A) ? B : A;
}

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_CONFIDENCE_EVIDENCE_H
