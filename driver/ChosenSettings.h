//===- ChosenSettings.h - The settings of all units of a run ---*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The configuration of each unit of a run. It determines whether units may be
// skipped, and whether a later run may use the results of this one.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_CHOSENSETTINGS_H
#define CUDAGRAPH_DRIVER_CHOSENSETTINGS_H

#include "driver/database/CompileDb.h"
#include "driver/options/Config.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <vector>

namespace cudagraph::driver {

class ChosenSettings {
public:
  ChosenSettings(llvm::ArrayRef<UnitCommand> Units, Config &Settings);

  /// True if \p Opts selects the whole compile database, and any unit that
  /// changes nothing may be skipped.
  bool allowSkips(const Options &Opts) const;
  /// A hash of everything, except the units, on which the walks of a run
  /// depend; nothing if a later run should not use the walks. See LastRun.h.
  std::optional<uint64_t> hash(const Options &Opts) const;

private:
  /// By unit; nothing if some settings are invalid, which linkUnits() reports.
  std::optional<std::vector<UnitSettings>> All;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_CHOSENSETTINGS_H
