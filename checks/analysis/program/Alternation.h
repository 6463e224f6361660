//===- Alternation.h - Statements that swap or toggle -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognizes statements that swap two places, or switch a place between two
// values, so that executing them twice changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_ALTERNATION_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_ALTERNATION_H

#include "analysis/ir/FlowGraph.h"

namespace cudagraph {

/// Returns the place from which \p E, a value of \p G, is read; None if it is
/// computed.
ExprId readAt(const FlowGraph &G, ExprId E);

/// Returns true if \p E is a sum or a difference of two operands.
inline bool isSum(const FlowGraph &G, ExprId E) {
  return E != None && G.Exprs[E].Kind == ExprKind::Op && G.Exprs[E].B != None &&
         (G.Exprs[E].S == "+" || G.Exprs[E].S == "-");
}

/// Returns true if \p O, in \p B of \p G, is a part of `t = a; a = b; b = t;`
/// that writes a or b.
bool isSwap(const FlowGraph &G, const Block &B, const Op &O);

/// Returns true if \p E, computed from the contents of \p Place, is one of two
/// values: its value before the last step, as in `cur = 1 - cur`.
bool isTurn(const FlowGraph &G, ExprId E, ExprId Place);

/// Returns true if \p E, computed from the contents of \p Place, is either
/// those contents or false, as in `ok = step() && ok`.
bool isLatch(const FlowGraph &G, ExprId E, ExprId Place);

/// Returns true if \p E is read through the pointer at \p Place, as in `cur =
/// cur->next`.
bool isNext(const FlowGraph &G, ExprId E, ExprId Place);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_ALTERNATION_H
