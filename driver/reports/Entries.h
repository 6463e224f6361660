//===- Entries.h - What a report of places shows ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formats that others read know one thing: something is to be said about a
// place. So each finding is one entry, and so is what only a run saw, and so is
// each translation unit that was not fully analyzed: it must not look clean.
// Remarks on comments and baselines are notes.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_ENTRIES_H
#define CUDAGRAPH_DRIVER_REPORTS_ENTRIES_H

#include "Report.h"
#include "SourceText.h"

namespace cudagraph::reports {

/// Stand for a check in entries that come from none.
constexpr const char *SeenInRun = "cudagraph-seen-in-run";
constexpr const char *IncompleteAnalysis = "cudagraph-incomplete-analysis";
constexpr const char *UnusedNolint = "cudagraph-unused-nolint";
constexpr const char *StaleBaseline = "cudagraph-stale-baseline";

struct Entry {
  std::string Check;
  std::string Severity; ///< "error", "warning" or "note"
  std::string Message;
  Location Loc; ///< not valid: there is no location in the sources
  /// The way to it, advice, and what a run says, each with a place.
  std::vector<Step> Steps;
  std::string Fingerprint;     ///< unique in the report
  const Finding *Of = nullptr; ///< none: not of the analysis
  const confirm::Confirmation *InRun = nullptr;
  const confirm::RunOnly *Only = nullptr;

  /// Worth a note, and nothing wrong with the program.
  bool isRemark() const {
    return Check == UnusedNolint || Check == StaleBaseline;
  }

  /// Where those who look at changed lines should see it.
  const Location &shownAt() const {
    return Of && Of->ChangedAt ? *Of->ChangedAt : Loc;
  }
};

/// Returns all of \p R, in its order.
std::vector<Entry> entriesOf(const Report &R, SourceText &Sources);

/// Moves what matters most to the front: errors, then what is most certain.
/// Equals keep their order.
void sortByWeight(std::vector<Entry> &Entries);

/// Returns \p E as the text report shows it, without colours.
std::string rendered(const Entry &E, SourceText &Sources);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_ENTRIES_H
