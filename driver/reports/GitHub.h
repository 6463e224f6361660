//===- GitHub.h - Annotations of GitHub Actions -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workflow commands, which GitHub shows as annotations of changed lines.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_GITHUB_H
#define CUDAGRAPH_DRIVER_REPORTS_GITHUB_H

#include "Report.h"
#include "SourceText.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::reports {

/// Writes the most important findings, as many as GitHub shows, and the number
/// of omitted ones.
void writeGitHub(llvm::raw_ostream &Out, const Report &R, SourceText &Sources);

/// The size of the largest step summary that GitHub accepts.
constexpr size_t StepSummaryLimit = 1 << 20;

/// Writes the table of all findings, in Markdown, as the summary of the step.
/// It has at most \p Room bytes and states how many findings it omits.
void writeStepSummary(llvm::raw_ostream &Out, const Report &R,
                      SourceText &Sources, size_t Room);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_GITHUB_H
