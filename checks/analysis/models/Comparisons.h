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

  /// The meaning of a comparison that is true.
  struct Unchanged {
    Inputs::Places Places; ///< their contents are those of the capture
    /// This function, or one that it calls, captures and stores the copy.
    FunctionId By = None;
  };

  /// Returns the value of an expression.
  using Evaluate = llvm::function_ref<ValueId(ExprId)>;

  /// Records the comparisons in \p Cond of \p F, whose value is stored or
  /// returned. Returns those that are known to be true.
  llvm::SmallVector<Unchanged, 2> note(const Frame &F, ExprId Cond, State &S,
                                       Evaluate Eval);

  /// Returns what the value \p Equal shows if it is true; nullptr if it is not
  /// a comparison that was recorded.
  const Unchanged *ifTrue(ValueId Equal) const;

  /// Returns what it shows that \p X and \p Y of \p F are equal.
  Unchanged ifEqual(const Frame &F, ExprId X, ExprId Y, State &S);

  /// True if \p What concerns graphs that are captured in \p Home.
  bool concerns(const Unchanged &What, FunctionId Home);

private:
  FunctionId remembers(const Frame &F, llvm::StringRef Key, ExprId Place,
                       ExprId Value) const;

  Invoker &Calls;
  std::map<ValueId, Unchanged> Known; ///< by the value of the comparison
  std::map<std::pair<FunctionId, FunctionId>, bool> Related; ///< see concerns()
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_COMPARISONS_H
