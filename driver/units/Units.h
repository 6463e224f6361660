//===- Units.h - Summaries of all translation units -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns compile commands into summaries. They come from the cache if nothing
// has changed and from a worker process otherwise. A failure affects only its
// unit: the summary contains the failure, and the other units continue.
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

/// The results of all units.
struct Summaries {
  std::vector<UnitSummary> Units; ///< in the order of the commands
  /// The input files of each unit; with Known, of all units together.
  std::vector<std::vector<FileUse>> Files;
  std::vector<unsigned> Variants;   ///< of each; see UnitCommand
  std::vector<std::string> Skipped; ///< main files that were not analyzed
  int Signal = 0;                   ///< the signal that interrupted the run
  /// Set if nothing has changed since the last run; Units then have no
  /// functions.
  std::optional<KnownWalks> Known;
};

/// Returns the names by which other units can affect captures in the given
/// units, or nothing if any unit may; see Contact.h.
using ContactFinder =
    llvm::function_ref<std::optional<ContactNames>(std::vector<UnitSummary>)>;

/// Returns the catalogue that applies to a file.
using CatalogueFinder =
    llvm::function_ref<const catalogue::Catalogue &(llvm::StringRef File)>;

/// Summarizes \p Units. With \p Contacts, plain units that cannot affect a
/// capture are skipped; see PlainUnits.h. \p Settings is a hash of all other
/// settings of the analysis; without it, nothing is taken from the last run.
llvm::Expected<Summaries>
summarizeUnits(llvm::ArrayRef<UnitCommand> Units, const Options &Opts,
               const Toolchain &Tools, Cache &Cached, CatalogueFinder KnownFor,
               ContactFinder Contacts, std::optional<uint64_t> Settings,
               Log &Out);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_UNITS_H
