//===- Units.h - Summaries of all translation units -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From compile commands to summaries: from the cache where nothing has changed,
// else by a worker process. Whatever goes wrong with one unit is that unit's
// matter: its summary says so, and the others go on.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_H
#define CUDAGRAPH_DRIVER_UNITS_H

#include "Cache.h"
#include "CompileDb.h"
#include "Options.h"
#include "Toolchain.h"
#include "analysis/Summary.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace cudagraph::driver {

class Log;

/// What became of all units.
struct Summaries {
  std::vector<UnitSummary> Units; ///< in the order of the commands
  /// The files that each was made from.
  std::vector<std::vector<FileUse>> Files;
  int Signal = 0; ///< that interrupted the run
};

/// Summarises \p Units.
llvm::Expected<Summaries> summarizeUnits(llvm::ArrayRef<UnitCommand> Units,
                                         const Options &Opts,
                                         const Toolchain &Tools, Cache &Kept,
                                         Log &Out);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_H
