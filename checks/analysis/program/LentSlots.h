//===- LentSlots.h - Functions that lend parts of a pool --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function lends a slot of a pool if it searches for a slot, marks that slot
// as used, and returns its index or address. Four kinds of pools are known: an
// array with a flag for each slot, a list of unused slots, a table of the
// unused ranges of one allocation, and an arena, whose cursor advances and is
// reset. MemoryPools.h describes pools that are containers of addresses.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_PROGRAM_LENTSLOTS_H
#define CUDAGRAPH_ANALYSIS_PROGRAM_LENTSLOTS_H

#include "Program.h"
#include "Relevance.h"
#include <map>
#include <optional>

namespace cudagraph {

/// An operation that marks a slot as used.
struct LentSlot {
  FunctionId In = None;
  unsigned Block = 0, Index = 0; ///< the operation
  /// The local variable that contains the slot's index, offset, or address;
  /// None: the function returns the address.
  unsigned Var = None;
  /// The flags, the lists, the tables, or the cursor that the operation and its
  /// function change. An assignment to one of them that selects the slot
  /// returns it, as does one that moves the cursor back.
  llvm::SmallVector<std::string, 2> Pools;
  /// The flag's value for a used slot; nothing for lists and tables.
  std::optional<int64_t> Used;
  /// For an arena: the place of its cursor, and the offset of the slot.
  ExprId Cursor = None, Offset = None;
};

class LentSlots {
public:
  LentSlots(Program &Table, const Relevance &Rel) : Table(Table), Rel(Rel) {}

  /// Returns the operations of \p F that lend slots.
  llvm::ArrayRef<LentSlot> of(FunctionId F);

private:
  Program &Table;
  const Relevance &Rel;
  std::map<FunctionId, std::vector<LentSlot>> Found;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_PROGRAM_LENTSLOTS_H
