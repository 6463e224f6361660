//===- OutcomeTable.h - Outcomes as people read them ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The catalogue's rows are made for lookup; here they become lines of a table,
// or phrases that say when a call returns a code. docs/reference has the same
// tables: runtime-probe/conformance/reference.py uses the same words.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_OUTCOMETABLE_H
#define CUDAGRAPH_DRIVER_REPORTS_OUTCOMETABLE_H

#include "catalogue/Catalogue.h"
#include <array>
#include <string>
#include <vector>

namespace cudagraph::reports {

/// What the call is made with, the kind of the capturing stream, and what
/// happens in each mode. An error that leaves the capture alive ends in '*'.
using OutcomeLine = std::array<std::string, 5>;

/// The lines that hold under the same conditions.
struct OutcomeGroup {
  std::string If; ///< conditions in words; empty: in every other case
  std::vector<OutcomeLine> Lines;
};

/// Returns what is known of \p E, the unconditional group first.
std::vector<OutcomeGroup> outcomeGroups(const catalogue::Entry &E);

/// One situation in which a call returns a code.
struct Situation {
  std::string
      Text; ///< "on the legacy stream during a capture on a blocking stream"
  bool Survives = false; ///< the capture goes on
};

/// Returns the situations in which \p E returns \p Code. Conditions count only
/// where the code is not returned without them.
std::vector<Situation> situations(const catalogue::Entry &E, int Code);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_OUTCOMETABLE_H
