//===- SarifRules.h - Checks as rules of SARIF ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page of a check, as code scanning shows it beside an alert.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_SARIFRULES_H
#define CUDAGRAPH_DRIVER_REPORTS_SARIFRULES_H

#include "Report.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace cudagraph::reports {

struct SarifRule {
  std::string Id;
  std::string Name;  ///< "SyncCall"
  std::string Level; ///< "error", "warning" or "note"
  std::string Short, Full, Help;
};

/// Returns the checks that ran, in order, and those that findings name besides.
std::vector<SarifRule> sarifRules(const Report &R);

/// Returns \p Page without the targets of links that are relative: what reads
/// the report is not where the page is.
std::string withoutRelativeLinks(llvm::StringRef Page);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_SARIFRULES_H
