//===- Memory.h - Reading and writing memory --------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a location holds in a state: what was written there, what the object
// that it was copied from holds, or else what was there when the root was
// entered.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_DOMAIN_MEMORY_H
#define CUDAGRAPH_ANALYSIS_DOMAIN_MEMORY_H

#include "State.h"

namespace cudagraph {

/// Returns what \p L held when the root was entered.
inline ValueId defaultContents(Domain &D, LocId L) {
  return D.value(ValueKind::Init, 0, L);
}

/// Returns what \p L holds.
ValueId read(Domain &D, const State &S, LocId L);

/// Returns what \p V holds if it is an address, as of an object that is passed
/// by reference; else \p V. None stays None.
inline ValueId heldBy(Domain &D, const State &S, ValueId V) {
  return V != None && D[V].Kind == ValueKind::Addr ? read(D, S, D[V].A) : V;
}

/// Puts \p V into \p L. What holds a whole object decides about its members.
void assign(Domain &D, State &S, LocId L, ValueId V);

/// Copies what is known of the parts of \p From to the parts of \p To.
void copyMembers(Domain &D, State &S, LocId From, LocId To);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_DOMAIN_MEMORY_H
