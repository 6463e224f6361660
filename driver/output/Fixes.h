//===- Fixes.h - Applies fixes to files -------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fix of a finding is applied as a whole or not at all: a fix that
// conflicts with another is skipped and reported.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_OUTPUT_FIXES_H
#define CUDAGRAPH_DRIVER_OUTPUT_FIXES_H

#include "driver/reports/Report.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::driver {

/// Applies the fixes in \p R to the files on disk and reports them on \p Log.
/// The error names the file that could not be written.
llvm::Error applyFixes(const reports::Report &R, llvm::raw_ostream &Log);

/// Writes the fixes in \p R to \p File in the form that
/// clang-apply-replacements reads. The error names the file.
llvm::Error exportFixes(const reports::Report &R, const std::string &File);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OUTPUT_FIXES_H
