//===- ElementLoops.h - Loops over the elements of a container --*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over a container visits each element once, with an index, with an
// iterator, or as a range-based `for`: each iteration has its own element.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_ELEMENTLOOPS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_ELEMENTLOOPS_H

#include "analysis/ir/FlowGraph.h"

namespace cudagraph {

/// Returns true if \p E, a place or a value in block \p Block of \p G, is in,
/// or read from, the element that the innermost loop around \p Block visits;
/// with \p Target, if \p E is an address in that element.
bool isOfVisitedElement(const FlowGraph &G, unsigned Block, ExprId E,
                        bool Target = false);

/// Returns true if \p E, an index in block \p Block of \p G, is the counter of
/// the innermost loop around \p Block.
bool isVisitedIndex(const FlowGraph &G, unsigned Block, ExprId E);

/// Returns true if the loop of \p G that begins at block \p Head changes the
/// elements that it visits, or calls their methods.
bool visitsElements(const FlowGraph &G, unsigned Head);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_ELEMENTLOOPS_H
