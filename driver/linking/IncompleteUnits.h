//===- IncompleteUnits.h - Messages about incomplete units ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A single incomplete unit is described in full. For many units, the errors are
// grouped by cause and counted, with one line for each group.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_LINKING_INCOMPLETEUNITS_H
#define CUDAGRAPH_DRIVER_LINKING_INCOMPLETEUNITS_H

#include "driver/reports/Report.h"
#include "llvm/ADT/ArrayRef.h"

namespace cudagraph::driver {

class Log;

/// Returns the entry of \p Unit, whose main file is \p File, and whose command
/// has the added arguments \p Variant.
reports::IncompleteUnit describeIncomplete(const UnitSummary &Unit,
                                           const std::string &File,
                                           const std::string &Variant);

/// Prints to \p Out the reasons why \p Units, of \p Total units, are
/// incomplete. If \p Verbose is true, also describes each of them.
void reportIncomplete(llvm::ArrayRef<reports::IncompleteUnit> Units,
                      size_t Total, bool Verbose, Log &Out);

/// Prints to \p Out the progress of a run that a signal interrupted and the
/// number of findings in \p R.
void reportInterrupted(const reports::Report &R, Log &Out);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_LINKING_INCOMPLETEUNITS_H
