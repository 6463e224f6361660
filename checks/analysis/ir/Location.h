//===- Location.h - Locations in source files -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain values, without Clang types. The only reference to the AST is
// Location::Raw, which a host that still has the source manager uses for NOLINT
// and for diagnostics; it is never serialized.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_LOCATION_H
#define CUDAGRAPH_ANALYSIS_IR_LOCATION_H

#include <string>
#include <vector>

namespace cudagraph {

/// A position in a file.
struct Place {
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;
};

/// A range in a file. Lines and columns are 1-based, columns count bytes, and
/// the end is exclusive. File has the spelling that the compiler received.
struct Location {
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;
  unsigned EndLine = 0;
  unsigned EndColumn = 0;
  unsigned Raw = 0; ///< clang::SourceLocation encoding; 0 if not in this TU
  /// For the expansion of a macro: where it is spelled, then where each macro
  /// is expanded, outward. A NOLINT at any of these locations counts.
  std::vector<Place> Written;
  bool valid() const { return Line != 0; }
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_LOCATION_H
