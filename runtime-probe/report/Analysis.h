//===- Analysis.h - From a trace to a report --------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Separates causes from consequences: if a call breaks a capture, only that
// call is a finding.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_ANALYSIS_H
#define CUDAGRAPH_PROBE_ANALYSIS_H

#include "Symbolizer.h"
#include "format/Report.h"

namespace cudagraph::probe {

Report analyse(const Trace &T, Symbolizer &Symbols);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_ANALYSIS_H
