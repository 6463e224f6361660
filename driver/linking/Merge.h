//===- Merge.h - Merges the reports of translation units --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The regions and findings of a header appear in every unit that includes it;
// the report contains them once. The result does not depend on the order in
// which units arrive.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_LINKING_MERGE_H
#define CUDAGRAPH_DRIVER_LINKING_MERGE_H

#include "driver/reports/Report.h"
#include <vector>

namespace cudagraph::driver {

/// Returns the regions, findings, operators, and opaque calls of \p Units, each
/// once, sorted, with new region numbers.
reports::Report mergeUnits(std::vector<UnitResult> Units);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_LINKING_MERGE_H
