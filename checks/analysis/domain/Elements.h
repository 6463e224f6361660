//===- Elements.h - Elements of arrays and containers -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents of an unspecified element of an array, and of a part of one of
// several objects. Only Memory.cpp uses these functions; the others are
// declared in Memory.h.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_DOMAIN_ELEMENTS_H
#define CUDAGRAPH_ANALYSIS_DOMAIN_ELEMENTS_H

#include "Memory.h"

namespace cudagraph {

/// True for the name of the last stream or event that a call created.
bool isLast(const ValueNode &N);

/// True if an index that is not a constant selects the stream or event \p V in
/// an array.
bool isOfSomeIndex(const Domain &D, ValueId V);

/// \p Some is an unspecified element of an array, or a part of one. Returns the
/// callables, streams, events, library handles, or addresses of objects that
/// were stored in the elements of that array; None if there are none, or if the
/// elements have other contents.
ValueId anyHandle(Domain &D, const State &S, LocId Some);

/// \p Some is an unspecified element of an array, or a part of one. Returns \p
/// Common, the contents of most elements, or, if other elements have other
/// contents, a value that stands for all of them.
ValueId eachContents(Domain &D, const State &S, LocId Some, ValueId Common);

/// Returns the part of \p New that \p L is of \p Root.
LocId samePart(Domain &D, LocId L, LocId Root, LocId New);

/// \p L is a part of the target of a pointer. If that is any of the elements of
/// a container, returns the same part of each of their targets.
llvm::SmallVector<LocId, 6> partsOfAny(Domain &D, LocId L);

/// \p L is a part of the target of a pointer. If that is one of several
/// objects, returns the handle, the address, or the memory that is stored there
/// in any of them; otherwise None.
ValueId readAny(Domain &D, const State &S, LocId L);

/// Records that the unspecified element \p Some now contains \p V: elements
/// with a number that contain an integer, such as null, may be that element.
void assignSome(Domain &D, State &S, LocId Some, ValueId V);

/// Stores \p V, whose place \p L is a part of the target of a pointer, in the
/// objects to which the pointer may refer. Returns false if \p L also has to
/// receive it.
bool assignAny(Domain &D, State &S, LocId L, ValueId V);

/// The value stored in an unspecified element, viewed from the particular
/// element that contains \p L: streams, events, and memory created in a loop
/// differ between elements. Numbers may also differ, in an unknown way; in that
/// case, returns None.
ValueId asElement(Domain &D, const State &S, LocId L);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_DOMAIN_ELEMENTS_H
