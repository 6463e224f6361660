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

#ifndef CUDAGRAPH_DRIVER_UNITS_UNITS_H
#define CUDAGRAPH_DRIVER_UNITS_UNITS_H

#include "Cache.h"
#include "analysis/ir/Summary.h"
#include "analysis/program/Contact.h"
#include "driver/database/CompileDb.h"
#include "driver/options/Options.h"
#include "driver/translation/Toolchain.h"
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
  std::vector<unsigned> Variants;   ///< of each; see UnitCommand
  std::vector<std::string> Skipped; ///< main files that were not analysed
  int Signal = 0;                   ///< that interrupted the run
};

/// Returns the names by which other units can touch captures in the units
/// given, or nothing if any unit may; see Contact.h.
using ContactFinder =
    llvm::function_ref<std::optional<ContactNames>(std::vector<UnitSummary>)>;

/// Returns the catalogue that counts for a file.
using CatalogueFinder =
    llvm::function_ref<const catalogue::Catalogue &(llvm::StringRef File)>;

/// Summarises \p Units. With \p Contacts, plain units that have to do with no
/// capture are skipped; see PlainUnits.h.
llvm::Expected<Summaries> summarizeUnits(llvm::ArrayRef<UnitCommand> Units,
                                         const Options &Opts,
                                         const Toolchain &Tools, Cache &Kept,
                                         CatalogueFinder KnownFor,
                                         ContactFinder Contacts, Log &Out);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_UNITS_H
