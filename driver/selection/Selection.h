//===- Selection.h - The selection of findings to report --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analysis covers the whole program, but a user may want only some of its
// findings, such as those in certain files or lines, those that involve a
// change, or those that are not in the baseline. They are selected after the
// fingerprints are assigned, so that no filter changes a fingerprint.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SELECTION_SELECTION_H
#define CUDAGRAPH_DRIVER_SELECTION_SELECTION_H

#include "Baseline.h"
#include "ChangedLines.h"
#include "driver/options/Options.h"
#include "driver/reports/Report.h"
#include "driver/support/Log.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Regex.h"
#include <optional>

namespace cudagraph::driver {

/// Without a compile database and without sources on the command line, the
/// change determines the sources, so that a hook in a fresh clone reports as
/// much as possible.
llvm::Error nameChangedSources(Options &Opts);

class Selection {
public:
  /// Queries git and reads the baseline, as \p Opts requests, before any other
  /// work.
  static llvm::Expected<Selection> prepare(const Options &Opts);

  /// Removes the findings from \p R that are not reported, counts them in
  /// R.Hidden, adds remarks on the baseline, and writes the baseline if
  /// requested. An interrupted run (\p Finished is false) hides known findings,
  /// but does not check or change the baseline.
  llvm::Error apply(reports::Report &R, bool Finished, Log &Out);

private:
  explicit Selection(const Options &Opts)
      : Opts(&Opts), HeaderFilter(Opts.HeaderFilter) {}

  const Options *Opts;
  llvm::Regex HeaderFilter;
  std::optional<ChangedLines> Changed;
  std::optional<Baseline> Known;

  bool inFilters(const reports::Report &R, const Finding &F) const;
  bool couldSee(const reports::Report &R, const BaselineEntry &E) const;
  llvm::Error updateBaseline(reports::Report &R, Log &Out);
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SELECTION_SELECTION_H
