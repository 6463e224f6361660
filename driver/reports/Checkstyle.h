//===- Checkstyle.h - Checkstyle's XML --------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format that Jenkins and many other tools read.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_CHECKSTYLE_H
#define CUDAGRAPH_DRIVER_REPORTS_CHECKSTYLE_H

#include "Report.h"
#include "SourceText.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::reports {

/// Writes the findings.
void writeCheckstyle(llvm::raw_ostream &Out, const Report &R,
                     SourceText &Sources);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_CHECKSTYLE_H
