//===- SummaryCheck.h - Whether a summary can be relied on ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A summary comes from a file, and a right checksum says only that the file is
// as somebody wrote it. The linker and the engine rely on much more: ids are
// in range, expressions refer only to earlier ones, sizes have bounds. All of
// that is checked here, once, when a summary is loaded, so that nothing behind
// this line checks again.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_IR_SUMMARYCHECK_H
#define CUDAGRAPH_ANALYSIS_IR_SUMMARYCHECK_H

#include "Summary.h"
#include "llvm/Support/Error.h"
#include <string>

namespace cudagraph {

/// Returns what is wrong with \p Graph, or an empty string. What lowering
/// yields has no fault. Functions and sites are not looked at: they are in
/// range by how they are read.
std::string faultIn(const FlowGraph &Graph);

/// Checks \p Unit in full. The error says what is wrong and where, without the
/// name of the file.
llvm::Error validate(const UnitSummary &Unit);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_IR_SUMMARYCHECK_H
