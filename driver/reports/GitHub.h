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

/// Writes the findings.
void writeGitHub(llvm::raw_ostream &Out, const Report &R, SourceText &Sources);

/// Writes the table of all findings, in Markdown, as the summary of the step.
void writeStepSummary(llvm::raw_ostream &Out, const Report &R,
                      SourceText &Sources);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_GITHUB_H
