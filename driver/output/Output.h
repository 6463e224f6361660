//===- Output.h - Writes reports --------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes all reports once they are complete, so that an earlier failure does
// not change the reports of the last run. Reports a full disk.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_OUTPUT_OUTPUT_H
#define CUDAGRAPH_DRIVER_OUTPUT_OUTPUT_H

#include "driver/options/Options.h"
#include "driver/reports/Report.h"
#include "driver/reports/SourceText.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <vector>

namespace cudagraph::driver {

class ReportWriter {
public:
  static llvm::Expected<ReportWriter> open(const Options &Opts);

  /// Writes \p R to every output: to files first, because a reader of standard
  /// output may stop reading. If \p Finished is false, a file with an earlier
  /// report is left unchanged, and a notice on \p Log reports this.
  llvm::Error write(const reports::Report &R, reports::SourceText &Sources,
                    bool Finished, llvm::raw_ostream &Log);

private:
  explicit ReportWriter(const Options &Opts) : Opts(&Opts) {}

  const Options *Opts;
  /// The file for the summary of a GitHub Actions step, with --format=github.
  std::unique_ptr<llvm::raw_fd_ostream> StepSummary;

  llvm::Error openStepSummary();
  llvm::Error writeStepSummary(const reports::Report &R,
                               reports::SourceText &Sources);
  bool wantsColor(const Output &To) const;
  void print(const Output &To, const reports::Report &R,
             reports::SourceText &Sources, llvm::raw_ostream &Out) const;
};

/// Lets \p Print write to standard output and reports a failure.
llvm::Error
printToStdout(llvm::function_ref<llvm::Error(llvm::raw_ostream &)> Print);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OUTPUT_OUTPUT_H
