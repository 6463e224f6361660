//===- SkippedCode.h - Code under a false #if -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the preprocessor skips is not analysed, and nobody would know. Clang
// says which ranges it skips; those of user code are read token by token for
// the names that they call. Code that no host compiler can see, and code that
// is switched off for good, does not count.
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

  /// Listens to \p PP from here on.
  void attach(clang::Preprocessor &PP);

  /// Adds to \p Unit what was skipped of user code and of \p Own, and the files
  /// of that, once the preprocessor is done.
  void describe(const ProjectCode &Own, UnitSummary &Unit) const;

private:
  struct Listener;
  clang::Preprocessor *PP = nullptr;
  /// By the number of the file as it was entered; in the order of the source.
  std::vector<std::pair<int, Range>> Ranges;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_SKIPPEDCODE_H
