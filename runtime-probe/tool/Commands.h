//===- Commands.h - What cudagraph-probe can be told to do ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_COMMANDS_H
#define CUDAGRAPH_PROBE_COMMANDS_H

#include "Options.h"
#include "Report.h"

namespace cudagraph::probe {

/// Each returns the exit status. \p Program is the path of this executable.
llvm::Expected<int> runCommand(const Options &Opts, const std::string &Program);
llvm::Expected<int> reportCommand(const Options &Opts);

/// Writes \p R as \p Opts says; text goes to \p People if it goes to no file.
llvm::Error writeReport(const Report &R, const Options &Opts,
                        llvm::raw_ostream &People);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_COMMANDS_H
