//===- TimeLeft.h - Estimates the rest of a run -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The times of units differ greatly, and the first units may wait for headers
// that all share. Therefore, each unit is weighted by the time that it took in
// the last run, and the speed is measured from the end of the first unit.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SUPPORT_TIMELEFT_H
#define CUDAGRAPH_DRIVER_SUPPORT_TIMELEFT_H

#include "llvm/ADT/ArrayRef.h"
#include <cstddef>
#include <optional>

namespace cudagraph::driver {

class TimeLeft {
public:
  TimeLeft() = default;
  /// \p Last contains the seconds that each unit took in the last run, or 0 if
  /// they are unknown. \p Jobs units are analyzed at a time.
  TimeLeft(llvm::ArrayRef<double> Last, unsigned Jobs);

  /// Records that a unit, which took \p Last seconds in the last run, ended \p
  /// Now seconds after the start.
  void unitDone(double Last, double Now);
  /// The seconds left \p Now seconds after the start, if they can be estimated.
  std::optional<double> at(double Now) const;

private:
  /// Units with a known time, the sum of these times, and other units.
  struct Amount {
    size_t Known = 0, Unknown = 0;
    double Sum = 0;
    void add(double Last);
  };
  double weight(const Amount &A) const;

  Amount All, Done;
  unsigned Jobs = 1;
  size_t Count = 0;     ///< of units that are done
  double FirstTime = 0; ///< when the first was done
  double FirstLast = 0; ///< its time in the last run
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SUPPORT_TIMELEFT_H
