//===- Json.h - The lossless report -----------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes every field of every value, in a fixed order. findings.schema.json
// defines the format. "version" increases if a reader of the old format could
// misinterpret the new one, but not if a field is added.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_JSON_H
#define CUDAGRAPH_DRIVER_REPORTS_JSON_H

#include "Format.h"
#include "Report.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::reports {

/// Writes the report: the regions, the coverage, and \p What.
void writeJson(llvm::raw_ostream &Out, const Report &R, Listed What);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_JSON_H
