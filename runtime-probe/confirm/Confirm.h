//===- Confirm.h - Joins static findings with a run -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of the library. `cudagraph-tidy --probe-report` and
// `cudagraph-probe confirm` both read, join and print by these functions. All
// are pure but for join(), which asks the file system which paths are one file.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CONFIRM_CONFIRM_H
#define CUDAGRAPH_PROBE_CONFIRM_CONFIRM_H

#include "Model.h"
#include <string>
#include <string_view>

namespace cudagraph::probe {
struct Report;
}

namespace cudagraph::confirm {

enum class Status { Confirmed, NotReproduced, NotExecuted };

/// Returns "confirmed", "not-reproduced" or "not-executed", as JSON spells it.
const char *spelling(Status S);

/// What the run says about one static finding.
struct Confirmation {
  Status Is = Status::NotExecuted;
  std::optional<int> Code;  ///< what CUDA returned; none: success, not called
  std::string CodeName;     ///< "cudaErrorStreamCaptureUnsupported" or empty
  unsigned Captures = 0;    ///< in which it was seen
  std::string Note;         ///< one line for people, never empty
  std::vector<Frame> Stack; ///< of the call that decided
};

/// What only the run saw.
struct RunOnly {
  Event Seen;
  unsigned Region = 0; ///< StaticRegion::Id of the nearest one; 0: none
};

struct Joined {
  std::vector<Confirmation> Confirmations; ///< one a static finding, in order
  std::vector<RunOnly> Others;

  unsigned count(Status S) const;
};

/// Reads what `cudagraph-tidy --format=json` has written. \p File is for
/// messages. Returns false, and the reason and the remedy in \p Why, if it is
/// none.
bool readFindings(std::string_view Text, const std::string &File,
                  StaticResult &Result, std::string &Why);

/// Adds what a run has shown to \p Result: captures of several reports are kept
/// apart.
void addRun(const probe::Report &R, Run &Result);

/// Reads the report of a run and adds it. Returns false like readFindings().
bool readReport(std::string_view Text, const std::string &File, Run &Result,
                std::string &Why);

/// Returns the value of CUDAGRAPH_PROBE_WATCH with which a run tells all that
/// join() wants to know: public names of functions, comma-separated, sorted.
std::string watchList(const StaticResult &Findings);

/// Compares. Which finding decides does not depend on the order of events.
Joined join(const StaticResult &Findings, const Run &Seen);

/// Returns "2 confirmed, 1 not executed", without what is none; also counts
/// what only the run saw.
std::string summary(const Joined &Result);

/// Returns one line on what only the run saw: "'cudaMalloc' returned ... (900)
/// in 2 captures [refused]".
std::string described(const RunOnly &Other);
/// Returns where that is, the user's innermost position or nothing.
Position placeOf(const RunOnly &Other);

/// Prints what `cudagraph-probe confirm` shows: a line a finding, then what
/// only the run saw, then the summary.
std::string printText(const StaticResult &Findings, const Run &Seen,
                      const Joined &Result);

/// The same as JSON: "version", "findings" with "confirmation", "run_only",
/// "problems". Both are as in findings.schema.json.
std::string printJson(const StaticResult &Findings, const Run &Seen,
                      const Joined &Result);

} // namespace cudagraph::confirm

#endif // CUDAGRAPH_PROBE_CONFIRM_CONFIRM_H
