//===- Merge.h - One report from many translation units ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A header's regions and findings show up in every unit that includes it; the
// report has them once. The order in which units arrive leaves no trace.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_LINKING_MERGE_H
#define CUDAGRAPH_DRIVER_LINKING_MERGE_H

#include "driver/reports/Report.h"
#include <vector>

namespace cudagraph::driver {

/// Returns regions, findings, operators and opaque calls of \p Units, each
/// once, sorted, with region numbers of their own.
reports::Report mergeUnits(std::vector<UnitResult> Units);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_LINKING_MERGE_H
