//===- CheckPages.h - The embedded pages of docs/checks ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pages are embedded at build time, so that `explain`, SARIF, and the HTML
// page show the same text.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_CHECKPAGES_H
#define CUDAGRAPH_DRIVER_REPORTS_CHECKPAGES_H

#include "llvm/ADT/StringRef.h"

namespace cudagraph::reports {

/// Returns docs/checks/<Id>.md, in Markdown; empty if there is no such check.
llvm::StringRef checkPage(llvm::StringRef Id);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_CHECKPAGES_H
