//===- ChosenSettings.h - The settings of all units of a run ---*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The configuration of each unit of a run. It determines whether units may be
// skipped and whether a later run may use the results of this one.
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

  /// True if \p Opts selects the whole compile database, so that units that
  /// cannot affect the result may be skipped.
  bool allowSkips(const Options &Opts) const;
  /// A hash of everything that determines the walks of a run, except the units;
  /// std::nullopt if a later run should not use the walks. See LastRun.h.
  std::optional<uint64_t> hash(const Options &Opts) const;

private:
  /// The settings of each unit; std::nullopt if some of them are invalid.
  /// linkUnits() reports the error.
  std::optional<std::vector<UnitSettings>> All;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_CHOSENSETTINGS_H
