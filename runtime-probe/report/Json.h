//===- Json.h - The report as a file ----------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_JSON_H
#define CUDAGRAPH_PROBE_JSON_H

#include "Report.h"
#include "llvm/Support/raw_ostream.h"

namespace cudagraph::probe {

/// Writes \p R as docs/probe-format.md has it.
void writeJson(llvm::raw_ostream &Out, const Report &R);

/// Reads what writeJson has written. Unknown fields are skipped; text that is
/// no report, or of a newer version, is an error without the file's name.
llvm::Expected<Report> readReport(llvm::StringRef Text);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_JSON_H
