//===- Unseen.h - Descriptions of code that was not compiled ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_UNSEEN_H
#define CUDAGRAPH_DRIVER_REPORTS_UNSEEN_H

#include "Report.h"

namespace cudagraph::reports {

/// Returns the contents of \p Branch, and the reason why it is not compiled:
/// "'cudaMalloc' is called under `#ifdef A`, which this command does not
/// define".
std::string described(const UnseenBranch &Branch, const Coverage &Seen);

/// Returns a sentence for each condition under which captures begin or end in
/// code that is not compiled, the most frequent first: "2 captures begin under
/// `#ifdef A`, which this command does not define".
std::vector<std::string> unseenCaptures(const Coverage &Seen);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_UNSEEN_H
