//===- Tuples.h - Tuples in flow graphs -------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_TUPLES_H
#define CUDAGRAPH_ANALYSIS_IR_TUPLES_H

namespace cudagraph {

/// The spelling of the operation that prepends an element to a tuple; the
/// integer 0 ends the tuple. The place of an element is an Elem with its
/// number.
inline constexpr const char *TupleOp = "tuple";

/// The end of the class name.
inline constexpr const char *TupleClass = "::tuple";

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_TUPLES_H
