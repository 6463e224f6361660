//===- LeadingParts.h - The parts that units may share ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The includes at the start of a source and those at the start of the header
// that it includes first. Only `#pragma once` may precede them, so they have
// the same meaning in every source that begins with them. Only a header next to
// the file that includes it is opened, because the location of any other header
// is not certain.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_LEADINGPARTS_H
#define CUDAGRAPH_DRIVER_UNITS_LEADINGPARTS_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

struct LeadingPart {
  std::string Text; ///< the includes
  std::string Main; ///< the name for a file with this text; no such file exists
  size_t Skip = 0;  ///< where the rest of the source begins
  /// True if the rest includes these headers again; this must have no effect.
  bool Repeated = false;
  /// The header that this part adds to the one before, with its delimiters, and
  /// the directory that is searched first if it is quoted. Empty for the part
  /// that the command includes.
  std::string Header, Folder;
};

/// The leading parts of the source \p File, the shortest first. The command in
/// \p Directory names it as \p Name. \p Anywhere is the directory of a Main
/// whose includes do not depend on their directory. \p OfCommand is true if
/// Clang reads a header before the source.
std::vector<LeadingPart> leadingParts(const std::string &File,
                                      llvm::StringRef Name,
                                      const std::string &Directory,
                                      llvm::StringRef Anywhere, bool OfCommand);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_LEADINGPARTS_H
