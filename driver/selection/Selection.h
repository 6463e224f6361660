//===- Selection.h - Which findings are shown -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analysis sees the whole program; a user may want part of what it found:
// certain files or lines, what a change takes part in, what is not in the
// baseline. All of it is decided here, after the findings got their
// fingerprints, so that no filter changes an identity.
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

/// Where there is neither a compile database nor a source on the command line,
/// a change names its own: a hook in a fresh clone says what it can.
llvm::Error nameChangedSources(Options &Opts);

class Selection {
public:
  /// Asks git and reads the baseline, as \p Opts say, before any other work.
  static llvm::Expected<Selection> prepare(const Options &Opts);

  /// Removes from \p R what is not to be shown, counts it in R.Hidden, adds
  /// remarks on the baseline, and writes the baseline if that was asked for.
  /// A run that was cut short (not \p Finished) hides what is known, but has
  /// nothing to say about the baseline, and leaves it as it is.
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
