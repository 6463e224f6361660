//===- Utf16.h - Lines and columns in other units ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang counts bytes; SARIF, and the hash by which GitHub recognizes a line,
// count UTF-16 code units.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_UTF16_H
#define CUDAGRAPH_DRIVER_REPORTS_UTF16_H

#include "SourceText.h"
#include "analysis/findings/Finding.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace cudagraph::reports {

/// A range whose columns are UTF-16 code units, 1-based, with an exclusive end.
struct Span {
  unsigned Line = 1, Column = 1, EndLine = 1, EndColumn = 2;
};

/// Returns the location \p L in these units. If \p OneLine is true, a longer
/// range ends with its first line, and no range is empty.
Span spanOf(const Location &L, SourceText &Sources, bool OneLine);

/// Computes GitHub's "primaryLocationLineHash": a polynomial in 37, modulo
/// 2^64, over the first hundred code units from the start of a line that are
/// neither spaces nor tabs. Every line break counts as \n, and a unit 65535 and
/// zeros follow the last unit. The hash is followed by a colon and the ordinal
/// of the line among those with the same hash. GitHub's upload action computes
/// the same value and warns about any other.
class LineHashes {
public:
  explicit LineHashes(SourceText &Sources) : Sources(Sources) {}

  /// Returns an empty string if there is no such line or file.
  std::string of(llvm::StringRef File, unsigned Line);

private:
  SourceText &Sources;
  llvm::StringMap<std::vector<std::string>> Files;
};

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_UTF16_H
