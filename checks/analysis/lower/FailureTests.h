//===- FailureTests.h - Conditions and returns of failure -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Error checks and early returns after a failure are recognized by their form.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_FAILURETESTS_H
#define CUDAGRAPH_ANALYSIS_LOWER_FAILURETESTS_H

#include "LibraryShape.h"
#include "clang/AST/Expr.h"
#include "clang/Analysis/CFG.h"
#include <optional>

namespace cudagraph {

class FailureTests {
public:
  FailureTests(const clang::ASTContext &Ctx, LibraryNames &Names)
      : Ctx(Ctx), Names(Names) {}

  /// If \p Cond tests whether a status differs from success, returns the value
  /// of the condition that means failure; else nothing.
  std::optional<bool> failsWhen(const clang::Expr *Cond) const;

  /// True if \p B returns a failure. An error path that logs to stderr and
  /// leaves the function is a conditional block that ends with such a return.
  /// \p Failed: whether a test of a status before \p B has found a failure, if
  /// there is one.
  bool isFailureReturn(const clang::CFGBlock *B,
                       std::optional<bool> Failed) const;

private:
  bool isStatusType(clang::QualType T) const;
  bool isZero(const clang::Expr *E) const;
  bool isFailureCode(const clang::Expr *E) const;
  std::optional<bool> comparisonFailsWhen(const clang::BinaryOperator *E) const;
  /// The same for a call to a function that converts the success or failure of
  /// its status argument to a different type; \p Is: the result that is tested
  /// for.
  std::optional<bool> conversionFailsWhen(const clang::Expr *Call,
                                          const llvm::APSInt &Is) const;

  const clang::ASTContext &Ctx;
  LibraryNames &Names;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_FAILURETESTS_H
