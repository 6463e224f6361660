//===- Report.h - The input of every report ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The merged result of a run. A report is a function from this value to a
// stream: it makes no decisions, filters nothing, and reads nothing but
// sources.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_REPORT_H
#define CUDAGRAPH_DRIVER_REPORTS_REPORT_H

#include "analysis/findings/Finding.h"
#include "analysis/ir/Summary.h"
#include "confirm/Confirm.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::reports {

/// A translation unit that was not analyzed, or not fully.
struct IncompleteUnit {
  std::string File;
  std::string Reason; ///< "7 parse errors"
  unsigned ErrorCount = 0;
  std::vector<std::string> Errors; ///< the first errors
  std::vector<ErrorKind> Kinds;    ///< all, by message
  std::string Directory;
  std::vector<std::string> Command; ///< to reproduce, run in Directory
  std::string Variant;              ///< the arguments that were added
  bool MockToolkit = false; ///< it is compiled with the bundled mock headers
};

/// Code under a false #if that no command compiles, with calls that matter to a
/// capture.
struct UnseenBranch {
  Location Loc;          ///< of the directive
  std::string Condition; ///< as in SkippedBranch
  bool Otherwise = false;
  SkippedBranch::Reason Why = SkippedBranch::False;
  std::string Macro;
  unsigned Begins = 0, Ends = 0;  ///< calls that begin, and end, a capture
  std::vector<std::string> Calls; ///< all calls that matter, by name
};

/// The extent of the analysis. Code that was not analyzed may contain findings.
struct Coverage {
  unsigned TranslationUnits = 0; ///< that were analyzed
  unsigned SkippedUnits = 0; ///< plain C++ units that cannot affect a capture
  std::vector<IncompleteUnit> Incomplete;
  bool Interrupted =
      false; ///< a signal ended the run before all units were analyzed
  std::vector<OpaqueCall> OpaqueCalls;
  std::vector<UnseenBranch> Unseen; ///< by file and line
  /// The number of findings that are held back because code on the path to them
  /// has parse errors.
  unsigned HeldBack = 0;
};

/// A message that is not a finding and does not change the exit status.
struct Remark {
  /// The spellings in JSON are those in the comments.
  enum Kind {
    UnusedNolint,  ///< "unused-nolint"
    StaleBaseline, ///< "stale-baseline"
  };
  Kind Is = UnusedNolint;
  Location Loc;
  std::string Message;
};

/// The numbers of findings that are not shown.
struct HiddenCounts {
  unsigned Nolint = 0;    ///< a NOLINT silences them
  unsigned Advice = 0;    ///< advice, if it is not requested
  unsigned Baseline = 0;  ///< listed in the baseline
  unsigned Unchanged = 0; ///< no changed line is involved
};

struct Report {
  std::vector<Region> Regions;     ///< Id is the index plus one
  std::vector<Finding> Findings;   ///< sorted by file, line, column, check
  std::vector<Finding> Silenced;   ///< those that a NOLINT hides
  std::vector<Operator> Operators; ///< of `ops`; sorted by name
  std::vector<Remark> Remarks;     ///< sorted by kind, file, and line
  HiddenCounts Hidden;
  Coverage Seen;
  bool Strict = false; ///< opaque calls are listed
  /// The added arguments of each analysis, if there are several analyses; an
  /// empty string stands for none. See Finding.
  std::vector<std::string> Variants;
  /// The repository that contains the working directory, or that directory;
  /// absolute, without a trailing slash. Paths above and in Findings are
  /// relative to WorkingDirectory if they are below it.
  std::string Root, WorkingDirectory;
  /// IDs of the checks that ran, sorted.
  std::vector<std::string> Checks;
  std::vector<std::string> MainFiles; ///< of the translation units, sorted
  /// The results of comparing the findings with runs, if any.
  std::optional<confirm::Joined> InRun;

  /// Returns the number of findings in the region \p Id.
  unsigned findingsIn(unsigned Id) const;
};

/// Returns \p File relative to R.Root, with '/' and without './'; its absolute
/// path if it is not below R.Root.
std::string fromRoot(const Report &R, llvm::StringRef File);

/// Returns "src/a.cu:42:3".
std::string spelled(const Location &L);

/// Returns "1 finding" or "2 findings".
std::string counted(size_t Count, const char *Noun);

/// Returns the condition for \p Seen.HeldBack: "'errors.h' is found".
std::string heldBackUntil(const Coverage &Seen);

/// Returns the extent of the analysis: "186 translation units, none incomplete,
/// 1,840 plain C++ units skipped".
std::string countedUnits(const Report &R);

/// Returns the number of findings by outcome, in words: "2 refused, 1 escapes".
/// \p Region, if given, restricts the count to the findings that the region
/// reaches.
std::string countedOutcomes(const Report &R, unsigned Region = 0);

/// Returns the number of locations in \p G that matter to its capture, without
/// those where it begins and ends.
unsigned callsIn(const Region &G);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_REPORT_H
