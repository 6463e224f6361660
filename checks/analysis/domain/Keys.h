//===- Keys.h - Keys that a table has ---------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a table, such as std::map, has an element with a constant key. A name
// that a program looks up twice denotes one object, and two names denote two,
// only if the analysis knows which call creates the element.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_DOMAIN_KEYS_H
#define CUDAGRAPH_ANALYSIS_DOMAIN_KEYS_H

#include "State.h"

namespace cudagraph {

/// True if \p L is a member of TableMarks.h.
bool isTableMark(const Domain &D, LocId L);

/// Returns the table that \p L marks, or an element of which it marks. Returns
/// \p L if it is not a mark.
LocId markedTable(const Domain &D, LocId L);

/// Assigns \p V to the mark \p L.
void assignMark(Domain &D, State &S, LocId L, ValueId V);

/// Returns whether the table that contains the element \p L has its key;
/// nothing if that is unknown.
std::optional<bool> hasKey(Domain &D, const State &S, LocId L);

/// Removes the facts about the keys of all tables: an unknown function may have
/// changed them.
void forgetKeys(Domain &D, State &S);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_DOMAIN_KEYS_H
