//===- Operators.h - Verdicts on registered functions -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table for the authors of extensions. It has one row for each operator, with
// the first reason why it is unsafe or unknown.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_RULES_OPERATORS_H
#define CUDAGRAPH_RULES_OPERATORS_H

#include "Evaluate.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>

namespace cudagraph {

/// Collects and evaluates the findings from registered functions.
class OperatorTable {
public:
  explicit OperatorTable(Program &Linked) : Linked(Linked) {}

  /// Records the findings from \p F, a registered function.
  void add(FunctionId F, const RootResult &Found,
           llvm::function_ref<bool(const Finding &)> Suppressed);
  /// Returns one row for each registered name. Several implementations of one
  /// name share a row; the worst of them determines the verdict.
  std::vector<Operator> rows();

private:
  struct Judged {
    Verdict Is = Verdict::Safe;
    std::optional<Finding> Cause;
    unsigned Causes = 0;
    std::string Opaque;
    bool Exceeded = false;
    std::vector<std::string> Freezes;
  };
  Operator rowOf(const Registration &R);

  Program &Linked;
  std::map<FunctionId, Judged> Known;
};

} // namespace cudagraph

#endif // CUDAGRAPH_RULES_OPERATORS_H
