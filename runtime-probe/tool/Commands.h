//===- Commands.h - The commands of cudagraph-probe -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_COMMANDS_H
#define CUDAGRAPH_PROBE_COMMANDS_H

#include "Options.h"
#include "confirm/Model.h"
#include "format/Report.h"

namespace cudagraph::probe {

/// Each returns the exit status. \p Program is the path of this executable.
llvm::Expected<int> runCommand(const Options &Opts, const std::string &Program);
llvm::Expected<int> reportCommand(const Options &Opts);
llvm::Expected<int> confirmCommand(const Options &Opts,
                                   const std::string &Program);

/// An observed program that has ended.
struct WatchedRun {
  int Status = 0;             ///< as in a shell: 128 + n for signal n
  std::optional<Report> Seen; ///< none if it did not start or was abandoned
};

/// Runs Opts.Program under the injected library until it ends. Also watches
/// whether \p Lines are executed.
llvm::Expected<WatchedRun>
watchProgram(const Options &Opts, const std::string &Program,
             llvm::ArrayRef<confirm::Position> Lines = {});

/// The exit status of this program: that of the child, of the error \p Written,
/// or, if \p Failing, of findings.
int statusOf(const WatchedRun &Run, llvm::Error Written, bool Failing);

/// Returns an error if the report cannot be written to the file of \p Opts, as
/// far as can be known before, or if the file is one of \p Inputs.
llvm::Error checkOutput(const Options &Opts,
                        llvm::ArrayRef<std::string> Inputs);

/// Lets \p Print write to the file of \p Opts, or else as text to \p People or
/// as JSON to standard output.
llvm::Error emit(const Options &Opts, llvm::raw_ostream &People,
                 llvm::function_ref<void(llvm::raw_ostream &, Format)> Print);

/// Writes \p R according to \p Opts; text goes to \p People unless there is a
/// file.
llvm::Error writeReport(const Report &R, const Options &Opts,
                        llvm::raw_ostream &People);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_COMMANDS_H
