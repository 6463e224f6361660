//===- ReadyUnit.h - A unit with its complete command -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compile command becomes the arguments that Clang receives, the key of the
// cached result, and notices about assumptions.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_READYUNIT_H
#define CUDAGRAPH_DRIVER_UNITS_READYUNIT_H

#include "Cache.h"
#include "driver/database/CompileDb.h"
#include "driver/options/Options.h"
#include "driver/translation/Toolchain.h"

namespace cudagraph::driver {

class Log;

/// A unit whose command is complete.
struct ReadyUnit {
  std::string File, Directory;
  std::vector<std::string> Args;
  std::string Id; ///< distinguishes it from others with the same file
  unsigned Variant = 0;
  std::string Project; ///< the folder of the project's own code, or empty
  uint64_t Key = 0;
  const catalogue::Catalogue *Known = nullptr;
  std::string Failure; ///< the reason why there is nothing to run, or empty
};

/// Completes the command of \p Unit; notices go to \p Out.
llvm::Expected<ReadyUnit>
prepareUnit(const UnitCommand &Unit, const Options &Opts,
            const Toolchain &Tools, const Cache &Cached,
            const catalogue::Catalogue &Known, Log &Out);

/// Returns the key of a run of \p Units if its result can be reused; see
/// LastRun.h. \p Settings is a hash of the settings of the analysis.
std::optional<uint64_t> keyOfRun(llvm::ArrayRef<ReadyUnit> Units,
                                 std::optional<uint64_t> Settings);

/// Reports files that did not parse with default arguments because the compile
/// database that was found does not contain them. Names the first of them.
void explainDefaults(llvm::ArrayRef<UnitCommand> Units,
                     llvm::ArrayRef<UnitSummary> Done, Log &Out);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_READYUNIT_H
