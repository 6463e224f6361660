//===- Session.h - One run of the driver ------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session has two steps: each unit is summarized, and then all are linked. A
// build system may run the steps separately, `summarize` for each unit and
// `link` for all; the one-command driver runs the same two steps. An error here
// means that the analysis could not run as requested.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SESSION_H
#define CUDAGRAPH_DRIVER_SESSION_H

#include "driver/options/Config.h"
#include "driver/options/Options.h"
#include "driver/output/OutputCheck.h"
#include "driver/reports/Report.h"
#include "driver/reports/SourceText.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::driver {

/// The result of a run.
struct SessionResult {
  reports::Report Report;
  int Signal = 0; ///< the signal that interrupted it
};

/// Analyzes the units that \p Opts selects. Notices and parse errors go to \p
/// Errors. \p Program is the path of this executable. No input file may be one
/// of \p Outputs.
llvm::Expected<SessionResult> runSession(const Options &Opts, Config &Settings,
                                         const OutputCheck &Outputs,
                                         const std::string &Program,
                                         reports::SourceText &Sources,
                                         llvm::raw_ostream &Errors);

/// Writes the summary of the one source in \p Opts. Returns the exit status.
llvm::Expected<int> runSummarize(const Options &Opts,
                                 const std::string &Program,
                                 llvm::raw_ostream &Errors);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SESSION_H
