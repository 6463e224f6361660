//===- Fingerprint.h - A stable identity of findings ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs on different states of a project must recognize the same finding.
// Therefore, the fingerprint contains only properties that edits elsewhere do
// not change: check, path from the root of the repository, function, callee,
// the text of the line without white space, and an ordinal among findings that
// agree in all of these. It does not contain the line number, the message, or
// the region: moving a capture must not make every finding in a callee new.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SELECTION_FINGERPRINT_H
#define CUDAGRAPH_DRIVER_SELECTION_FINGERPRINT_H

#include "analysis/findings/Finding.h"
#include "driver/reports/SourceText.h"
#include <vector>

namespace cudagraph::driver {

/// Returns the nearest directory above the absolute path \p File that contains
/// a repository, or the working directory, or an empty string if \p File is
/// below neither.
std::string rootOf(llvm::StringRef File);

/// Fills in Finding::Fingerprint, 16 hexadecimal digits, unique within
/// \p Findings, which must be sorted by location.
void fingerprint(std::vector<Finding> &Findings, reports::SourceText &Sources);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SELECTION_FINGERPRINT_H
