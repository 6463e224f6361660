//===- Output.h - Where reports go ------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes every report when all of them are known, so that whatever goes wrong
// before leaves the reports of the last run, and notices a full disk.
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

  /// Writes \p R to every place: to files first, as whoever reads standard
  /// output may stop reading. Unless \p Finished, a file with an earlier report
  /// is left alone, and \p Log is told.
  llvm::Error write(const reports::Report &R, reports::SourceText &Sources,
                    bool Finished, llvm::raw_ostream &Log);

private:
  explicit ReportWriter(const Options &Opts) : Opts(&Opts) {}

  const Options *Opts;
  /// Where GitHub Actions wants the summary of the step, with --format=github.
  std::unique_ptr<llvm::raw_fd_ostream> StepSummary;

  llvm::Error openStepSummary();
  llvm::Error writeStepSummary(const reports::Report &R,
                               reports::SourceText &Sources);
  bool wantsColor(const Output &To) const;
  void print(const Output &To, const reports::Report &R,
             reports::SourceText &Sources, llvm::raw_ostream &Out) const;
};

/// Lets \p Print write to standard output, and notices if that fails.
llvm::Error
printToStdout(llvm::function_ref<llvm::Error(llvm::raw_ostream &)> Print);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OUTPUT_OUTPUT_H
