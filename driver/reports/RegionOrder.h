//===- RegionOrder.h - The order of regions in a report ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_REGIONORDER_H
#define CUDAGRAPH_DRIVER_REPORTS_REGIONORDER_H

#include "Report.h"

namespace cudagraph::reports {

/// Returns the regions of \p R in reading order: those with findings first,
/// otherwise as in \p R.
std::vector<const Region *> orderedRegions(const Report &R);

} // namespace cudagraph::reports

#endif
