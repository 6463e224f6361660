//===- Memory.h - Reading and writing memory --------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents of a location in a state: the value written there, the contents
// of the object from which the location was copied, or, if there is neither,
// the contents of the location when the root was entered.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_DOMAIN_MEMORY_H
#define CUDAGRAPH_ANALYSIS_DOMAIN_MEMORY_H

#include "State.h"

namespace cudagraph {

/// Returns the contents of \p L when the root was entered.
inline ValueId defaultContents(Domain &D, LocId L) {
  return D.value(ValueKind::Init, 0, L);
}

/// Returns \p L with each element on the path to it replaced by the unspecified
/// element of its array. Returns \p L if there are none.
LocId someElement(Domain &D, LocId L);

/// Returns the common generalization of \p A and \p B, which are elements or
/// equal parts of two elements: an unspecified element where their numbers
/// differ. None if they are not such locations.
LocId eitherElement(Domain &D, LocId A, LocId B);

/// True if \p L is an element of any array, or part of one.
bool isOfSomeElement(const Domain &D, LocId L);

/// True if \p L is an element of an array, or a member of one.
bool isOfElement(const Domain &D, LocId L);

/// True for the kinds of values that programs often use in turn: callables,
/// streams, events, and library handles.
bool isHandle(const Domain &D, ValueId V);

/// Returns the stream or event of the unspecified element that contained \p V
/// when the root was entered, or for which \p V was created; else \p V.
ValueId someHandle(Domain &D, ValueId V);

/// \p A and \p B are contents of \p L. If both may be the same stream or event,
/// because one is named after \p L and the other is the last one that the same
/// call created, returns the one that is named after \p L. Otherwise, returns
/// None.
ValueId ownHandle(const Domain &D, LocId L, ValueId A, ValueId B);

/// Prepares the use of the name \p V for another stream or event: existing ones
/// that have this name and are stored in elements are renamed after their
/// elements.
void renameOlder(Domain &D, State &S, ValueId V);

/// Returns the contents of \p L.
ValueId read(Domain &D, const State &S, LocId L);

/// Returns the contents of the location whose address is \p V, as for an object
/// passed by reference; else \p V. None stays None.
inline ValueId heldBy(Domain &D, const State &S, ValueId V) {
  return V != None && D[V].Kind == ValueKind::Addr ? read(D, S, D[V].A) : V;
}

/// Stores \p V in \p L. The contents of a whole object determine its members.
void assign(Domain &D, State &S, LocId L, ValueId V);

/// Removes the elements of the container at \p L. An element that is created
/// later has the value \p V; None: an unknown value.
void clear(Domain &D, State &S, LocId L, ValueId V);

/// True if \p V is one of several objects, whose members have met at a join.
bool isOneOfCopies(const Domain &D, ValueId V);

/// Copies the facts about the parts of \p From to the parts of \p To.
void copyMembers(Domain &D, State &S, LocId From, LocId To);
/// The same, for the facts about \p From in \p Source.
void copyMembers(Domain &D, const Memory &Source, LocId From, State &S,
                 LocId To);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_DOMAIN_MEMORY_H
