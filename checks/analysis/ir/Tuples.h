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
/// integer 0 ends it. The contents of a tuple at its place are Elem with the
/// number of the element.
inline constexpr const char *TupleOp = "tuple";

/// The end of the name of the class.
inline constexpr const char *TupleClass = "::tuple";

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_TUPLES_H
