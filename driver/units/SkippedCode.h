//===- SkippedCode.h - Code under a false #if -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The preprocessor skips code, which is then silently not analyzed. Clang
// provides the skipped ranges; those of user code are read token by token to
// find the names of the functions that they call. Code that no host compiler
// can compile, and code that is permanently disabled, does not count.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_SKIPPEDCODE_H
#define CUDAGRAPH_DRIVER_UNITS_SKIPPEDCODE_H

#include "analysis/ir/Summary.h"
#include "analysis/lower/ProjectCode.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <utility>
#include <vector>

namespace clang {
class Preprocessor;
}

namespace cudagraph::driver {

/// A file of user code and what the preprocessor skipped in it.
struct SkippedFile {
  /// The offsets of the directive that begins the range and of the one that
  /// ends it.
  using Range = std::pair<unsigned, unsigned>;

  /// A skipped branch that calls something.
  struct Skipped {
    SkippedBranch Branch; ///< Branch.Why and Branch.Macro are not set
    std::string Macro;    ///< the only macro that it tests, or empty
    bool Defined = false; ///< it is compiled if Macro is defined
  };

  std::string Name;
  /// The skipped ranges of each inclusion of the file.
  std::vector<std::vector<Range>> Inclusions;
  std::vector<Skipped> Branches; ///< skipped in all inclusions
};

class SkippedCode {
public:
  using Range = SkippedFile::Range;

  /// Starts to listen to \p PP.
  void attach(clang::Preprocessor &PP);

  /// The files of user code and of \p Own, sorted by name, after preprocessing.
  /// The files of \p Before were read earlier.
  std::vector<SkippedFile> files(const ProjectCode &Own,
                                 llvm::ArrayRef<SkippedFile> Before = {}) const;

  /// Adds \p Files and their branches to \p Unit.
  void describe(llvm::ArrayRef<SkippedFile> Files, UnitSummary &Unit) const;

private:
  struct Listener;
  clang::Preprocessor *PP = nullptr;
  /// Each range with the number of its file inclusion, in the order of the
  /// source.
  std::vector<std::pair<int, Range>> Ranges;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_SKIPPEDCODE_H
