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

/// Returns \p L with all numbers of elements on the way to it given up: some
/// element of the array that it is in. \p L if there are none.
LocId someElement(Domain &D, LocId L);

/// Returns the element that \p A and \p B, or the same parts of two elements,
/// are: some element where their numbers differ. None if they are no such.
LocId eitherElement(Domain &D, LocId A, LocId B);

/// True if \p L is, or is part of, some element of an array.
bool isOfSomeElement(const Domain &D, LocId L);

/// True for what a program keeps several of, to use one after the other:
/// callables, streams, events, handles of libraries.
bool isHandle(const Domain &D, ValueId V);

/// Returns the stream or event that some element holds which held \p V when
/// the root was entered, or for which \p V was created; else \p V.
ValueId someHandle(Domain &D, ValueId V);

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
