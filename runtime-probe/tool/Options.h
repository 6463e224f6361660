//===- Options.h - The command line of cudagraph-probe ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_OPTIONS_H
#define CUDAGRAPH_PROBE_OPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::probe {

enum ExitStatus { ExitClean = 0, ExitFindings = 1, ExitUsage = 2 };

enum class Format { Text, Json, Html, Sarif };

struct Options {
  enum { Help, Version, Run, Report, Confirm } Command = Help;
  std::vector<std::string> Program; ///< run: the arguments after `--`
  std::string TraceDirectory;       ///< run: --trace; report: the argument
  std::string Findings;             ///< confirm: the argument
  std::string Output, CudaPath, InjectionLibrary, Watch, Symbols;
  std::optional<Format> As;
  std::string Captures, Replays; ///< numbers; Replays: or "all"; or empty
  bool Halt = false, FailOnFindings = false, Quiet = false, Verbose = false;
  bool CapturesOnly = false, NoLines = false;
};

/// Parses \p Args, without the name of the program.
llvm::Expected<Options> parseOptions(llvm::ArrayRef<const char *> Args);
void printHelp(llvm::raw_ostream &Out);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_OPTIONS_H
