//===- TaskList.h - Findings as tasks in Markdown ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a task for each finding, with its location, the path to it, the
// outcome, and the remedy. It is for people who work through a list in an issue
// and for coding agents.
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
