//===- ShortPaths.h - Paths as the report shows them ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Paths in reports are relative to the working directory where possible.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_LINKING_SHORTPATHS_H
#define CUDAGRAPH_DRIVER_LINKING_SHORTPATHS_H

#include "analysis/findings/Finding.h"

namespace cudagraph::driver {

/// Makes the paths in \p R relative to the working directory if they are below
/// it.
void shortenPaths(UnitResult &R);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_LINKING_SHORTPATHS_H
