//===- ProbeReport.h - What runs say about the findings ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --probe-report: reads reports of cudagraph-probe and joins them with the
// findings. How they are compared is runtime-probe/confirm's.
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

/// Says in \p R what \p Seen says about its findings.
void joinWithRun(reports::Report &R, const confirm::Run &Seen);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_LINKING_PROBEREPORT_H
