//===- MemoryPools.h - Pools from which functions take memory ---*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function takes memory out of a pool if it removes the element that it
// returns, or advances its index or its offset, so the next call returns
// different memory. Memory that is added to the pool again may be taken by
// another user.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_MEMORYPOOLS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_MEMORYPOOLS_H

#include "Program.h"
#include "Relevance.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace cudagraph {

/// Returns true if \p G, a function of the program of \p Rel, takes the
/// contents of \p Place out of a pool.
bool takesOut(const FlowGraph &G, const Relevance &Rel, ExprId Place);

/// Returns the container \p Place, or the one to which the local variable \p
/// Place refers; None if it is unknown.
ExprId containerAt(const FlowGraph &G, ExprId Place);

class MemoryPools {
public:
  MemoryPools(Program &Table, const Relevance &Rel) : Table(Table), Rel(Rel) {}

  /// Returns true if some function takes an element out of the container
  /// \p Name, a member or a global, and returns it. The first call examines the
  /// whole program.
  bool contains(llvm::StringRef Name);

  /// Returns true for such a container unless a setting selects it from
  /// several: memory that returns to it may then be used only by the owner of
  /// that pool, such as a graph.
  bool isShared(llvm::StringRef Name);

private:
  Program &Table;
  const Relevance &Rel;
  std::optional<llvm::StringMap<bool>> Names;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_MEMORYPOOLS_H
