//===- Operators.h - Which registered functions can be captured -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table that the author of an extension asks for: one row an operator, with
// the first reason why it is not safe, or not known to be.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_RULES_OPERATORS_H
#define CUDAGRAPH_RULES_OPERATORS_H

#include "Evaluate.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>

namespace cudagraph {

/// Collects what is found from registered functions, and judges them.
class OperatorTable {
public:
  explicit OperatorTable(Program &Linked) : Linked(Linked) {}

  /// Remembers what was found from \p F, which is registered.
  void add(FunctionId F, const RootResult &Found,
           llvm::function_ref<bool(const Finding &)> Suppressed);
  /// One row for each name that is registered; several implementations of one
  /// name are one row, which the worst of them decides.
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
