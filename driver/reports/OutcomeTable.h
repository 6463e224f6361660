//===- OutcomeTable.h - Outcomes in readable form ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the rows of the catalogue to lines of a table, or to descriptions of
// the situations in which a call returns a code. docs/reference has the same
// tables; runtime-probe/conformance/reference.py writes them with the same
// words.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_OUTCOMETABLE_H
#define CUDAGRAPH_DRIVER_REPORTS_OUTCOMETABLE_H

#include "catalogue/Catalogue.h"
#include <array>
#include <string>
#include <vector>

namespace cudagraph::reports {

/// The arguments of the call, the kind of the capturing stream, and the outcome
/// in each mode. An error that leaves the capture active ends with '*'.
using OutcomeLine = std::array<std::string, 5>;

/// The lines that apply under the same conditions.
struct OutcomeGroup {
  std::string If; ///< the conditions as text; empty: in all other cases
  std::vector<OutcomeLine> Lines;
};

/// Returns the outcomes of \p E, the unconditional group first.
std::vector<OutcomeGroup> outcomeGroups(const catalogue::Entry &E);

/// A situation in which a call returns a code.
struct Situation {
  std::string
      Text; ///< "on the legacy stream during a capture on a blocking stream"
  bool Survives = false; ///< the capture continues
};

/// Returns the situations in which \p E returns \p Code. Conditions are listed
/// only if the code is not returned without them.
std::vector<Situation> situations(const catalogue::Entry &E, int Code);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_OUTCOMETABLE_H
