//===- LeadingIncludes.h - The includes a source begins with ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources that begin with the same includes can share the result of parsing
// them, because nothing precedes these headers that could change their meaning.
// Anything but a comment ends the sequence: a macro, a pragma, a declaration,
// or a conditional. Text that is not recognized with certainty also ends it.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_LEADINGINCLUDES_H
#define CUDAGRAPH_DRIVER_UNITS_LEADINGINCLUDES_H

#include "llvm/ADT/StringRef.h"
#include <vector>

namespace cudagraph::driver {

struct LeadingInclude {
  llvm::StringRef Name; ///< with its delimiters
  size_t End = 0;       ///< the offset of the line after the directive

  /// True if Clang searches for the header in the directory of the source
  /// first.
  bool isQuoted() const { return Name.starts_with("\""); }
};

/// The `#include` directives at the start of \p Text, in their order. In a
/// header, `#pragma once` may precede them.
std::vector<LeadingInclude> leadingIncludes(llvm::StringRef Text,
                                            bool IsHeader = false);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_LEADINGINCLUDES_H
