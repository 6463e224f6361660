//===- OutputCheck.h - Outputs that would destroy something -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--format=text:z.cu z.cu` would replace the source by its report. No file
// that a run reads is one that it writes, under whatever names, and no two
// outputs are one file. The sources themselves, for --fix, are no outputs here.
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

/// Names the file to which GitHub Actions wants the summary of a step added.
inline constexpr char StepSummaryVariable[] = "GITHUB_STEP_SUMMARY";

/// Returns that file if \p Opts ask for annotations of GitHub, or nothing.
std::string stepSummaryOf(const Options &Opts);

class OutputCheck {
public:
  /// Checks the outputs of \p Opts against one another, against the files that
  /// \p Opts names, and that each can be written.
  static llvm::Expected<OutputCheck> prepare(const Options &Opts);

  /// The error says which of \p Inputs is an output. Files that are not there
  /// are none.
  llvm::Error against(llvm::ArrayRef<std::string> Inputs) const;

  /// Adds an output, which \p Option names, and checks it.
  llvm::Error add(std::string Path, llvm::StringRef Option);

  /// Adds a file that is appended to; whoever opens it says if it cannot be.
  llvm::Error addAppended(std::string Path, llvm::StringRef Option);

private:
  struct Place {
    std::string Path;   ///< empty: standard output
    std::string Option; ///< what names it
    support::FileIdentity Identity;
    const char *Does = "overwrite";
  };
  std::vector<Place> Places;

  llvm::Error insert(Place New);
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OUTPUT_OUTPUTCHECK_H
