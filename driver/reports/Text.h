//===- Text.h - The text report ---------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format of GCC and Clang, which editors, CodeChecker, and reviewdog parse:
// one line for each diagnostic, the source with a mark below it, then the
// notes.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_TEXT_H
#define CUDAGRAPH_DRIVER_REPORTS_TEXT_H

#include "Format.h"
#include "Report.h"
#include "SourceText.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::reports {

/// Writes the findings.
void writeText(llvm::raw_ostream &Out, const Report &R, SourceText &Sources,
               TextStyle Style);

/// Writes a table of the regions, by file, those with findings first.
void writeRegionsText(llvm::raw_ostream &Out, const Report &R, TextStyle Style);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_TEXT_H
