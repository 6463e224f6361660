//===- TableMarks.h - The known keys of a table -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The members that tables, such as std::map, and their elements have in flow
// graphs.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_TABLEMARKS_H
#define CUDAGRAPH_ANALYSIS_IR_TABLEMARKS_H

namespace cudagraph {

/// A member of a table. 1: the program added each element, which has a mark; a
/// table that is created or cleared has no elements. Otherwise, an unrelated
/// value.
inline constexpr const char *KnownKeys = "known keys";

/// A member of an element. See KeyMark.
inline constexpr const char *HasKey = "has key";

/// The values that flow graphs assign to HasKey.
enum class KeyMark {
  Erased,
  Added,
  AddedNull, ///< if the element is new, its value is null or zero
};

/// An operator on the address of an element: 1 if the key is new to the table,
/// 0 if the table has it; otherwise, an unknown value.
inline constexpr const char *NewKeyOp = "new key";

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_TABLEMARKS_H
