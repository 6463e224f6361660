//===- Places.h - Whose storage a place is ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Determines the object to which a place belongs from the expression of the
// place.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_PLACES_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_PLACES_H

#include "analysis/ir/FlowGraph.h"

namespace cudagraph {

/// True if \p Place is or belongs to a variable or temporary of \p G.
bool isLocalPlace(const FlowGraph &G, ExprId Place);

/// True if \p O assigns a member of one object to the same member of another,
/// as copy constructors do.
bool copiesMember(const FlowGraph &G, const Op &O);

/// True if \p Object, which is destroyed in \p G, is or belongs to a member or
/// a global: the destruction is explicit.
bool endsForGood(const FlowGraph &G, ExprId Object);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_PLACES_H
