//===- Location.h - Places in source files ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain values, free of Clang types. The only trace of the AST is
// Location::Raw, which a host that still has the source manager uses for NOLINT
// and for diagnostics; it is never written out.
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

/// A range in a file. Lines and columns are 1-based, columns are bytes, the end
/// is exclusive. File is spelled as the compiler was given it.
struct Location {
  std::string File;
  unsigned Line = 0;
  unsigned Column = 0;
  unsigned EndLine = 0;
  unsigned EndColumn = 0;
  unsigned Raw = 0; ///< clang::SourceLocation encoding; 0 when not in this TU
  /// What comes out of a macro: where it is spelled, then where each macro is
  /// expanded, outwards. A NOLINT there counts.
  std::vector<Place> Written;
  bool valid() const { return Line != 0; }
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_LOCATION_H
