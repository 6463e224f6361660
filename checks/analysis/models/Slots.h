//===- Slots.h - Parts of a pool that graphs use ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each call to a function that lends slots of a pool returns another slot: the
// index or the address of the slot has a name for each call. Code that marks
// this slot as unused lets the next caller take it, as for memory that returns
// to a pool; see RecycledMemory.cpp. LentSlots.h describes these pools.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_SLOTS_H
#define CUDAGRAPH_ANALYSIS_MODELS_SLOTS_H

#include "NodeTable.h"

namespace cudagraph {

class Slots : Part {
public:
  using List = llvm::SmallVector<ValueId, 2>;

  Slots(Services &Use, NodeTable &Nodes)
      : Part(Use.W), Calls(Use.Calls), Nodes(Nodes) {}

  /// Handles an operation of \p F that lends \p Slot: the local variable that
  /// receives it now has its name. \p Offset: its offset in an arena.
  void lent(const Frame &F, State &S, const LentSlot &Slot, ValueId Offset);

  /// Returns the slots that \p F returns to their pools if it stores \p New in
  /// \p Place.
  List returnedBy(const Frame &F, LocId Place, ValueId New) const;

  /// Returns the slots that the call \p C, to a method of a table, returns to
  /// it: their numbers are its keys.
  List returnedBy(const Call &C, State &S) const;

  /// Returns the location that stands for the pool of \p Slot in departures.
  LocId poolOf(ValueId Slot) const;

  /// Records the slots on which \p Address, which \p K retains, depends. \p K
  /// will be the next argument of a node.
  void keep(Retained &K, ValueId Address) const;

  /// Distinguishes the slots that the call at \p O has taken from those of
  /// another call to the same function. \p Before: the state before the call;
  /// \p Roots: its arguments.
  void rename(const Frame &F, const Op &O, const State &Before,
              llvm::ArrayRef<ValueId> Roots, State &After, ValueId &Returned);

private:
  List ofPool(const Frame &F, llvm::StringRef Pool, ValueId New,
              llvm::ArrayRef<ValueId> All) const;

  Invoker &Calls;
  NodeTable &Nodes;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_SLOTS_H
