//===- TaskList.h - Findings as tasks in Markdown ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task for each finding, with its place, the way there, what CUDA does, and
// the remedy: for those who work through them, people in an issue and coding
// agents.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_TASKLIST_H
#define CUDAGRAPH_DRIVER_REPORTS_TASKLIST_H

#include "Report.h"
#include "SourceText.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::reports {

void writeTaskList(llvm::raw_ostream &Out, const Report &R,
                   SourceText &Sources);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_TASKLIST_H
