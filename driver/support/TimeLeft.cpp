//===- TimeLeft.cpp - Estimates the rest of a run -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimeLeft.h"
#include <algorithm>

using namespace llvm;

namespace cudagraph::driver {

void TimeLeft::Amount::add(double Last) {
  ++(Last > 0 ? Known : Unknown);
  Sum += Last;
}

TimeLeft::TimeLeft(ArrayRef<double> Last, unsigned Jobs)
    : Jobs(std::max(Jobs, 1u)) {
  for (double Each : Last)
    All.add(Each);
}

/// Units with an unknown time count as the mean of the others.
double TimeLeft::weight(const Amount &A) const {
  double Mean = All.Known ? All.Sum / static_cast<double>(All.Known) : 1;
  return A.Sum + Mean * static_cast<double>(A.Unknown);
}

void TimeLeft::unitDone(double Last, double Now) {
  Done.add(Last);
  if (Count++)
    return;
  FirstTime = Now;
  FirstLast = Last;
}

std::optional<double> TimeLeft::at(double Now) const {
  double Rest = weight(All) - weight(Done);
  if (Count > 1) {
    Amount First;
    First.add(FirstLast);
    return (Now - FirstTime) * Rest / (weight(Done) - weight(First));
  }
  if (All.Known > All.Unknown)
    return std::max(0.0, weight(All) / Jobs - Now);
  if (Count)
    return Now * Rest / weight(Done);
  return std::nullopt;
}

} // namespace cudagraph::driver
