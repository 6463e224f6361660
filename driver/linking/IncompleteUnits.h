//===- IncompleteUnits.h - What is said of what was not seen ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One incomplete unit is described in full. Of many, people want to know what
// went wrong how often and why: errors are grouped, and each group is one line.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_LINKING_INCOMPLETEUNITS_H
#define CUDAGRAPH_DRIVER_LINKING_INCOMPLETEUNITS_H

#include "driver/reports/Report.h"
#include "llvm/ADT/ArrayRef.h"

namespace cudagraph::driver {

class Log;

/// Returns the entry of \p Unit, whose main file is \p File, and whose command
/// was given the arguments \p Variant, too.
reports::IncompleteUnit describeIncomplete(const UnitSummary &Unit,
                                           const std::string &File,
                                           const std::string &Variant);

/// Says to \p Out why \p Units, of \p Total ones, are incomplete. \p Verbose:
/// each of them by itself, too.
void sayIncomplete(llvm::ArrayRef<reports::IncompleteUnit> Units, size_t Total,
                   bool Verbose, Log &Out);

/// Says to \p Out how far a run has come that a signal ended, and what \p R
/// holds of it.
void sayInterrupted(const reports::Report &R, Log &Out);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_LINKING_INCOMPLETEUNITS_H
