//===- StreamLoops.h - Loops over several streams ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that distributes work to several streams enqueues it on another stream
// in each iteration. These functions determine whether its iterations share an
// event, or memory.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_STREAMLOOPS_H
#define CUDAGRAPH_ANALYSIS_MODELS_STREAMLOOPS_H

#include "analysis/facts/Frame.h"
#include "analysis/facts/Walk.h"

namespace cudagraph {

/// Returns true if \p F records the event of \p O in a loop that does not wait
/// for this event: the event includes only the work of the last iteration.
bool isRecordedAgain(const Walk &W, const Frame &F, const Op &O);

/// Returns true if each iteration of a loop executes \p O, an operation of
/// \p F, on a stream of its own with the same address \p Address, and no
/// iteration waits for an earlier one. \p One: the memory exists only once, so
/// elements that contain its address share it.
bool sharesMemory(const Walk &W, const Frame &F, const Op &O, ExprId Address,
                  bool One);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_STREAMLOOPS_H
