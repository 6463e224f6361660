//===- ExprParts.h - The parts of an expression -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search in the operands of an expression, at any depth.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_EXPRPARTS_H
#define CUDAGRAPH_ANALYSIS_IR_EXPRPARTS_H

#include "FlowGraph.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace cudagraph {

/// True if the expression \p Id of \p G or one of its parts meets \p Is; false
/// if \p Id is None.
inline bool anyPart(const FlowGraph &G, ExprId Id,
                    llvm::function_ref<bool(const Expr &)> Is) {
  llvm::SmallVector<ExprId, 16> Work{Id};
  llvm::SmallDenseSet<ExprId, 16> Seen;
  while (!Work.empty()) {
    ExprId E = Work.pop_back_val();
    if (E == None || !Seen.insert(E).second)
      continue;
    const Expr &X = G.Exprs[E];
    if (Is(X))
      return true;
    Work.append({X.A, X.B, X.C});
  }
  return false;
}

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_EXPRPARTS_H
