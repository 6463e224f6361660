//===- Fixes.h - Applies fixes to files -------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A finding's fix is applied as a whole or not at all: one that conflicts with
// another is left out, and the user is told which.
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

/// Applies the fixes in \p R to the files on disk and says on \p Log what was
/// done. The error names the file that could not be written.
llvm::Error applyFixes(const reports::Report &R, llvm::raw_ostream &Log);

/// Writes the fixes in \p R to \p File in the form that
/// clang-apply-replacements reads. The error names the file.
llvm::Error exportFixes(const reports::Report &R, const std::string &File);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OUTPUT_FIXES_H
