//===- Comparisons.h - Comparisons with copies from a capture ---*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that captures again when a value differs from the copy that the
// last capture has stored, as in `if (n != recorded) record(n);`, replays with
// the captured value. The comparison may be in a callee, or its result in a
// variable.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_COMPARISONS_H
#define CUDAGRAPH_ANALYSIS_MODELS_COMPARISONS_H

#include "Inputs.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>

namespace cudagraph {

class Comparisons : Part {
public:
  Comparisons(Walk &W, Invoker &Calls) : Part(W), Calls(Calls) {}

  /// Returns the value of an expression.
  using Evaluate = llvm::function_ref<ValueId(ExprId)>;

  /// Records the comparisons in \p Cond of \p F, whose value is stored or
  /// returned. Returns the places whose contents have not changed, if results
  /// are known.
  Inputs::Places note(const Frame &F, ExprId Cond, State &S, Evaluate Eval);

  /// Returns the places whose contents have not changed if the value \p Equal,
  /// of a comparison that was recorded, is true.
  Inputs::Places ifTrue(ValueId Equal) const;

  /// Returns the places whose contents have not changed if \p X and \p Y of
  /// \p F are equal.
  Inputs::Places ifEqual(const Frame &F, ExprId X, ExprId Y, State &S);

private:
  bool remembers(const Frame &F, llvm::StringRef Key, ExprId Place,
                 ExprId Value) const;

  Invoker &Calls;
  std::map<ValueId, Inputs::Places> Known; ///< by the value of the comparison
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_COMPARISONS_H
