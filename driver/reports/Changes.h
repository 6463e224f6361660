//===- Changes.h - Lines that fixes change ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports that show a fix contain whole lines, before and after the fix.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_CHANGES_H
#define CUDAGRAPH_DRIVER_REPORTS_CHANGES_H

#include "SourceText.h"
#include "analysis/findings/Finding.h"
#include <string>
#include <vector>

namespace cudagraph::reports {

struct Change {
  std::string File;
  unsigned Line; ///< the first one
  std::vector<std::string> Old, New;
};

/// Returns the changes of \p Fixes, by file and line. Fixes in lines that
/// cannot be read are omitted.
std::vector<Change> changesOf(const std::vector<Fix> &Fixes,
                              SourceText &Sources);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_CHANGES_H
