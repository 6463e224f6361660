//===- RdJsonl.h - reviewdog's diagnostics ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One JSON value for each line, which reviewdog posts to a review.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_RDJSONL_H
#define CUDAGRAPH_DRIVER_REPORTS_RDJSONL_H

#include "Report.h"
#include "SourceText.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::reports {

/// Writes the findings.
void writeRdJsonl(llvm::raw_ostream &Out, const Report &R, SourceText &Sources);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_RDJSONL_H
