//===- Entries.h - The entries of a report of locations ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats for other tools have one kind of entry: a message about a location.
// Each finding is an entry, as is each call that only a run observed. Each
// translation unit that was not fully analyzed is also an entry, because it
// must not look clean. Remarks on comments and baselines are notes.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_ENTRIES_H
#define CUDAGRAPH_DRIVER_REPORTS_ENTRIES_H

#include "Report.h"
#include "SourceText.h"

namespace cudagraph::reports {

/// These names replace the name of the check in entries that do not come from a
/// check.
constexpr const char *SeenInRun = "cudagraph-seen-in-run";
constexpr const char *IncompleteAnalysis = "cudagraph-incomplete-analysis";
constexpr const char *UnusedNolint = "cudagraph-unused-nolint";
constexpr const char *StaleBaseline = "cudagraph-stale-baseline";

struct Entry {
  std::string Check;
  std::string Severity; ///< "error", "warning", or "note"
  std::string Message;
  Location Loc; ///< not valid: there is no location in the sources
  /// The path to it, advice, and results of a run, each with a location.
  std::vector<Step> Steps;
  std::string Fingerprint;     ///< unique in the report
  const Finding *Of = nullptr; ///< none: not from the analysis
  const confirm::Confirmation *InRun = nullptr;
  const confirm::RunOnly *Only = nullptr;

  /// A note; the program has no error.
  bool isRemark() const {
    return Check == UnusedNolint || Check == StaleBaseline;
  }

  /// The location that reviewers of changed lines should see.
  const Location &shownAt() const {
    return Of && Of->ChangedAt ? *Of->ChangedAt : Loc;
  }
};

/// Returns all entries of \p R, in its order.
std::vector<Entry> entriesOf(const Report &R, SourceText &Sources);

/// Moves the most important entries to the front: errors, then the highest
/// confidence. Equals keep their order.
void sortByWeight(std::vector<Entry> &Entries);

/// Returns \p E as the text report shows it, without colors.
std::string rendered(const Entry &E, SourceText &Sources);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_ENTRIES_H
