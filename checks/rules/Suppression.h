//===- Suppression.h - NOLINT at the call and along its chain ---*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both hosts use clang-tidy's own NoLintDirectiveHandler, so that NOLINT,
// NOLINTNEXTLINE, and NOLINTBEGIN/END have exactly the same meaning as in
// clang-tidy. A finding is suppressed by a directive at its call or at any step
// of its chain. The plugin has the source manager. After linking, only the
// lines with directives are available; they are sufficient.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_RULES_SUPPRESSION_H
#define CUDAGRAPH_RULES_SUPPRESSION_H

#include "analysis/findings/Finding.h"
#include "analysis/ir/Summary.h"
#include <memory>

namespace clang {
class DiagnosticsEngine;
class SourceManager;
} // namespace clang

namespace cudagraph {

/// Determines what NOLINT suppresses. Keep one object per run, because
/// directives are cached by file.
class Suppression {
public:
  explicit Suppression(clang::SourceManager &SM);
  /// Searches for directives in \p Files instead, by file and line.
  explicit Suppression(const std::vector<NolintLines> &Files);
  ~Suppression();

  /// True if a NOLINT directive for F.Check covers the call or a chain step.
  bool suppresses(const Finding &F);

  /// True if a directive covers a chain step, or a call from a macro. A host
  /// that handles the visible location of the call itself, such as clang-tidy,
  /// needs only this.
  bool suppressedByChain(const Finding &F);

private:
  struct Impl;
  std::unique_ptr<Impl> P;
};

} // namespace cudagraph

#endif // CUDAGRAPH_RULES_SUPPRESSION_H
