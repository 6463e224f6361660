//===- SkippedCode.h - Code under a false #if -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that the preprocessor skips is not analyzed, and this would go
// unnoticed. Clang provides the skipped ranges; those of user code are read
// token by token for the names that they call. Code that no host compiler can
// see, and code that is permanently disabled, does not count.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_SKIPPEDCODE_H
#define CUDAGRAPH_DRIVER_UNITS_SKIPPEDCODE_H

#include "analysis/ir/Summary.h"
#include "analysis/lower/ProjectCode.h"
#include <utility>
#include <vector>

namespace clang {
class Preprocessor;
}

namespace cudagraph::driver {

class SkippedCode {
public:
  /// Offsets in a file: of the directive that begins the range, and of the one
  /// that ends it.
  using Range = std::pair<unsigned, unsigned>;

  /// Listens to \p PP from now on.
  void attach(clang::Preprocessor &PP);

  /// Adds the skipped user code and the skipped code of \p Own, and their
  /// files, to \p Unit, after preprocessing.
  void describe(const ProjectCode &Own, UnitSummary &Unit) const;

private:
  struct Listener;
  clang::Preprocessor *PP = nullptr;
  /// By the number of the file inclusion; in the order of the source.
  std::vector<std::pair<int, Range>> Ranges;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_SKIPPEDCODE_H
