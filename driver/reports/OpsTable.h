//===- OpsTable.h - What `cudagraph-tidy ops` prints ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row an operator: whether it can be captured, and why not. The same rows
// as text, as a Markdown table and as CSV; writeJson has them, too.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_OPSTABLE_H
#define CUDAGRAPH_DRIVER_REPORTS_OPSTABLE_H

#include "Text.h"

namespace cudagraph::reports {

/// Returns why \p Row is not safe, in one sentence; empty if it is.
std::string reasonOf(const Operator &Row);

void writeOpsText(llvm::raw_ostream &Out, const Report &R, TextStyle Style);
/// A table of GitHub's Markdown.
void writeOpsMarkdown(llvm::raw_ostream &Out, const Report &R);
/// RFC 4180, with a heading.
void writeOpsCsv(llvm::raw_ostream &Out, const Report &R);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_OPSTABLE_H
