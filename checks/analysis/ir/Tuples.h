//===- Tuples.h - How flow graphs show tuples -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_TUPLES_H
#define CUDAGRAPH_ANALYSIS_IR_TUPLES_H

namespace cudagraph {

/// The spelling of the operation that puts a first element before the rest of a
/// tuple; behind the last one is the integer 0. What a tuple has at its place
/// is Elem with the number of the element.
inline constexpr const char *TupleOp = "tuple";

/// How the name of the class ends.
inline constexpr const char *TupleClass = "::tuple";

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_TUPLES_H
