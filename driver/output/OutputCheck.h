//===- OutputCheck.h - Rejects destructive outputs --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--format=text:z.cu z.cu` would replace the source with its report. No input
// of a run may be an output, under any name, and no two outputs may be the same
// file. The sources themselves, for --fix, are not outputs here.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_OUTPUT_OUTPUTCHECK_H
#define CUDAGRAPH_DRIVER_OUTPUT_OUTPUTCHECK_H

#include "driver/options/Options.h"
#include "support/OutputFile.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

/// Names the file for the summary of a GitHub Actions step.
inline constexpr char StepSummaryVariable[] = "GITHUB_STEP_SUMMARY";

/// Returns that file if \p Opts requests annotations for GitHub, or nothing.
std::string stepSummaryOf(const Options &Opts);

class OutputCheck {
public:
  /// Checks the outputs of \p Opts against one another and against the files
  /// that \p Opts names and checks that each can be written.
  static llvm::Expected<OutputCheck> prepare(const Options &Opts);

  /// The error names the member of \p Inputs that is also an output. Missing
  /// files are ignored.
  llvm::Error against(llvm::ArrayRef<std::string> Inputs) const;

  /// Adds an output, which \p Option names, and checks it.
  llvm::Error add(std::string Path, llvm::StringRef Option);

  /// Adds a file to which output is appended. If it cannot be opened later, the
  /// error is reported then.
  llvm::Error addAppended(std::string Path, llvm::StringRef Option);

private:
  struct Place {
    std::string Path;   ///< empty: standard output
    std::string Option; ///< the option that names it
    support::FileIdentity Identity;
    const char *Does = "overwrite";
  };
  std::vector<Place> Places;

  llvm::Error insert(Place New);
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OUTPUT_OUTPUTCHECK_H
