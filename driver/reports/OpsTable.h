//===- OpsTable.h - The output of `cudagraph-tidy ops` ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operator has one row, which states whether it can be captured, and the
// reason if not. The rows are written as text, as a Markdown table, or as CSV;
// writeJson() also writes them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_OPSTABLE_H
#define CUDAGRAPH_DRIVER_REPORTS_OPSTABLE_H

#include "Text.h"

namespace cudagraph::reports {

/// Returns the reason why \p Row is not safe, in one sentence; empty if it is
/// safe.
std::string reasonOf(const Operator &Row);

void writeOpsText(llvm::raw_ostream &Out, const Report &R, TextStyle Style);
/// A table in GitHub's Markdown.
void writeOpsMarkdown(llvm::raw_ostream &Out, const Report &R);
/// RFC 4180, with a heading.
void writeOpsCsv(llvm::raw_ostream &Out, const Report &R);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_OPSTABLE_H
