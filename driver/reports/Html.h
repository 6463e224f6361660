//===- Html.h - The HTML report ---------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One self-contained page: regions as pictures and chains with their source.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_HTML_H
#define CUDAGRAPH_DRIVER_REPORTS_HTML_H

#include "Report.h"
#include "SourceText.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::reports {

/// Writes the findings.
void writeHtml(llvm::raw_ostream &Out, const Report &R, SourceText &Sources);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_HTML_H
