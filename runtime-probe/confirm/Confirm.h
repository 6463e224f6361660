//===- Confirm.h - Joins static findings with a run -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of the library. `cudagraph-tidy --probe-report` and
// `cudagraph-probe confirm` both use these functions to read, join, and print.
// All depend only on their arguments, except join(), which queries the file
// system for equal paths.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_CONFIRM_CONFIRM_H
#define CUDAGRAPH_PROBE_CONFIRM_CONFIRM_H

#include "Model.h"
#include <string>
#include <string_view>
#include <vector>

namespace cudagraph::probe {
struct Report;
}

namespace cudagraph::confirm {

enum class Status {
  Confirmed,
  Refuted, ///< the run shows that the prediction is false
  NotReproduced,
  NotWatched, ///< executed, but the deciding event was not observed
  NotExecuted,
};

/// Returns "confirmed", "not-watched", and so on, the spelling in JSON.
const char *spelling(Status S);
/// The same in words: "not watched".
std::string inWords(Status S);

/// The result of the run for one static finding.
struct Confirmation {
  Status Is = Status::NotExecuted;
  std::optional<int>
      Code; ///< the error that CUDA returned; none: success, not called
  std::string CodeName;     ///< "cudaErrorStreamCaptureUnsupported" or empty
  unsigned Captures = 0;    ///< where it was observed
  std::string Note;         ///< one line of text, never empty
  std::vector<Frame> Stack; ///< of the call that determined the result
  /// The stack of the call that recorded the node, if that is a different call.
  std::vector<Frame> Recorded;
};

/// A call that only the run observed.
struct RunOnly {
  Event Seen;
  unsigned Region = 0; ///< StaticRegion::Id of the nearest one; 0: none
};

struct Joined {
  std::vector<Confirmation>
      Confirmations; ///< one for each static finding, in order
  std::vector<RunOnly> Others;

  unsigned count(Status S) const;
};

/// Reads the output of `cudagraph-tidy --format=json`. \p File is for messages.
/// Returns false, and the reason and the remedy in \p Why, if it is invalid.
bool readFindings(std::string_view Text, const std::string &File,
                  StaticResult &Result, std::string &Why);

/// Adds the observations of a run to \p Result: captures of different reports
/// remain separate.
void addRun(const probe::Report &R, Run &Result);

/// Reads the report of a run and adds it. Errors are as in readFindings().
bool readReport(std::string_view Text, const std::string &File, Run &Result,
                std::string &Why);

/// Returns the value of CUDAGRAPH_PROBE_WATCH for which a run records
/// everything that join() needs: public names of functions, comma-separated,
/// sorted.
std::string watchList(const StaticResult &Findings);

/// Returns the lines whose execution confirms or refutes findings: those that
/// free or change what a graph uses, and those that a replay does not repeat.
std::vector<Position> watchLines(const StaticResult &Findings);

/// Compares the findings with the run. The result does not depend on the order
/// of events.
Joined join(const StaticResult &Findings, const Run &Seen);

/// Returns "2 confirmed, 1 not executed", without zero counts; also counts
/// calls that only the run observed.
std::string summary(const Joined &Result);

/// Returns one line about a call that only the run observed: "'cudaMalloc'
/// returned ... (900) in 2 captures [refused]".
std::string described(const RunOnly &Other);
/// Returns its location, the innermost position in user code, or nothing.
Position placeOf(const RunOnly &Other);

/// Prints the text of `cudagraph-probe confirm`: one line for each finding,
/// then the calls that only the run observed, then the summary.
std::string printText(const StaticResult &Findings, const Run &Seen,
                      const Joined &Result);

/// The same as JSON: "version", "findings" with "confirmation", "run_only", and
/// "problems". The findings and "run_only" have the form that
/// findings.schema.json describes.
std::string printJson(const StaticResult &Findings, const Run &Seen,
                      const Joined &Result);

} // namespace cudagraph::confirm

#endif // CUDAGRAPH_PROBE_CONFIRM_CONFIRM_H
