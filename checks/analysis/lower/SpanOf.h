//===- SpanOf.h - Clang's source ranges in flow graphs ----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flow graphs store the encodings of Clang's locations.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_SPANOF_H
#define CUDAGRAPH_ANALYSIS_LOWER_SPANOF_H

#include "analysis/ir/FlowGraph.h"
#include "clang/Basic/SourceLocation.h"

namespace cudagraph {

/// Converts to the raw encoding.
inline Span spanOf(clang::SourceRange R) {
  return {R.getBegin().getRawEncoding(), R.getEnd().getRawEncoding()};
}

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_SPANOF_H
