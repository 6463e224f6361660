//===- Unseen.h - Code that was not seen, in words --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_UNSEEN_H
#define CUDAGRAPH_DRIVER_REPORTS_UNSEEN_H

#include "Report.h"

namespace cudagraph::reports {

/// Returns what \p Arm holds, and why nobody saw it: "'cudaMalloc' is called
/// under `#ifdef A`, which this command does not define".
std::string described(const UnseenArm &Arm, const Coverage &Seen);

/// Returns a sentence for each condition under which captures begin or end that
/// nobody saw, the most frequent first: "2 captures begin under `#ifdef A`,
/// which this command does not define".
std::vector<std::string> unseenCaptures(const Coverage &Seen);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_UNSEEN_H
