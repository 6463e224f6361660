//===- Json.h - Writes the report to a file ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_JSON_H
#define CUDAGRAPH_PROBE_JSON_H

#include "format/Report.h"
#include "llvm/Support/raw_ostream.h"

namespace cudagraph::probe {

/// Writes \p R in the format of docs/probe-format.md.
void writeJson(llvm::raw_ostream &Out, const Report &R);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_JSON_H
