//===- LockedSections.h - The purpose of a lock -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_MODELS_LOCKEDSECTIONS_H
#define CUDAGRAPH_ANALYSIS_MODELS_LOCKEDSECTIONS_H

#include "analysis/program/Relevance.h"

namespace cudagraph {

/// True if \p G takes a lock and may still hold it at \p Where.
bool holdsLock(Program &Table, const Relevance &Rel, const FlowGraph &G,
               Span Where);

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_MODELS_LOCKEDSECTIONS_H
