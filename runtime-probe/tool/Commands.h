//===- Commands.h - What cudagraph-probe can be told to do ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_COMMANDS_H
#define CUDAGRAPH_PROBE_COMMANDS_H

#include "Options.h"
#include "format/Report.h"

namespace cudagraph::probe {

/// Each returns the exit status. \p Program is the path of this executable.
llvm::Expected<int> runCommand(const Options &Opts, const std::string &Program);
llvm::Expected<int> reportCommand(const Options &Opts);
llvm::Expected<int> confirmCommand(const Options &Opts,
                                   const std::string &Program);

/// A program that was watched and has ended.
struct WatchedRun {
  int Status = 0;             ///< as a shell has it: 128 + n for signal n
  std::optional<Report> Seen; ///< none if it did not start or was abandoned
};

/// Runs Opts.Program under the injected library, to its end.
llvm::Expected<WatchedRun> watchProgram(const Options &Opts,
                                        const std::string &Program);

/// The exit status of this program: the child's, or what \p Written says, or
/// that of findings if \p Failing.
int statusOf(const WatchedRun &Run, llvm::Error Written, bool Failing);

/// Says why the report cannot be written to the file that \p Opts names, as far
/// as that is known now, or that it is one of \p Inputs.
llvm::Error checkOutput(const Options &Opts,
                        llvm::ArrayRef<std::string> Inputs);

/// Lets \p Print write to the file that \p Opts names, or else as text to
/// \p People or as JSON to standard output.
llvm::Error emit(const Options &Opts, llvm::raw_ostream &People,
                 llvm::function_ref<void(llvm::raw_ostream &, Format)> Print);

/// Writes \p R as \p Opts says; text goes to \p People if it goes to no file.
llvm::Error writeReport(const Report &R, const Options &Opts,
                        llvm::raw_ostream &People);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_COMMANDS_H
