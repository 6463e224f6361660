//===- ListSize.h - The number of elements of a list ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The member that a list of streams or events has in flow graphs.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_LISTSIZE_H
#define CUDAGRAPH_ANALYSIS_IR_LISTSIZE_H

namespace cudagraph {

/// The number of elements if the program has added each of them; otherwise, an
/// unrelated value.
inline constexpr const char *ListSize = "list size";

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_LISTSIZE_H
