//===- UnusedNolint.h - NOLINT without effect -------------------*- C++ -*-===//
//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A NOLINT that outlives its finding hides the next one. Only directives that
// name one of these checks are examined, because the other effects of a
// directive are unknown here. clang-tidy decides whether a directive suppresses
// a finding (rules/Suppression.h). This file only determines the directives
// that cover the locations of a finding.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SELECTION_UNUSEDNOLINT_H
#define CUDAGRAPH_DRIVER_SELECTION_UNUSEDNOLINT_H

#include "analysis/findings/Finding.h"
#include "analysis/ir/Summary.h"
#include "driver/reports/Report.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

class UnusedNolint {
public:
  /// Reads the directives in \p Files.
  explicit UnusedNolint(const std::vector<NolintLines> &Files);

  /// Records that \p F was found, whether it is reported or not.
  void see(const Finding &F);

  /// Returns a remark for each name that suppresses nothing, by file and line.
  std::vector<reports::Remark> unused() const;

private:
  /// One name in one directive: a glob.
  struct Item {
    std::string Glob, Directive; ///< "cudagraph-*", "NOLINTNEXTLINE"
    unsigned Line = 0, Column = 0;
    unsigned First = 0, Last = 0; ///< the lines that it covers
    bool Used = false;
  };
  llvm::StringMap<std::vector<Item>> Files;

  void see(llvm::StringRef Check, llvm::StringRef File, unsigned Line);
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SELECTION_UNUSEDNOLINT_H
