//===- JUnit.h - Findings as test results -----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format for systems that only show test reports.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_JUNIT_H
#define CUDAGRAPH_DRIVER_REPORTS_JUNIT_H

#include "Report.h"
#include "SourceText.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::reports {

/// Writes the findings.
void writeJUnit(llvm::raw_ostream &Out, const Report &R, SourceText &Sources);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_JUNIT_H
