//===- SummaryCheck.h - Validates summaries ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A summary comes from a file, and a correct checksum shows only that the file
// has not changed since it was written. The linker and the engine rely on much
// more: IDs are in range, expressions refer only to earlier ones, sizes have
// bounds. All of that is checked here, once, when a summary is loaded, so that
// no later code checks again.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_SUMMARYCHECK_H
#define CUDAGRAPH_ANALYSIS_IR_SUMMARYCHECK_H

#include "Summary.h"
#include "llvm/Support/Error.h"
#include <string>

namespace cudagraph {

/// Returns the defect of \p Graph, or an empty string. The output of lowering
/// has no defects. Functions and sites are not checked: reading ensures that
/// they are in range.
std::string faultIn(const FlowGraph &Graph);

/// Checks \p Unit in full. The error describes the defect and its location,
/// without the name of the file.
llvm::Error validate(const UnitSummary &Unit);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_SUMMARYCHECK_H
