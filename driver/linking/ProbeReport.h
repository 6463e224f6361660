//===- ProbeReport.h - Compares findings with recorded runs -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements --probe-report: reads reports of cudagraph-probe and joins them
// with the findings. runtime-probe/confirm compares them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_LINKING_PROBEREPORT_H
#define CUDAGRAPH_DRIVER_LINKING_PROBEREPORT_H

#include "confirm/Confirm.h"
#include "driver/reports/Report.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

/// Reads \p Files as one run.
llvm::Expected<confirm::Run>
readProbeReports(const std::vector<std::string> &Files);

/// Adds the results of comparing \p Seen with the findings to \p R.
void joinWithRun(reports::Report &R, const confirm::Run &Seen);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_LINKING_PROBEREPORT_H
