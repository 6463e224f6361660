//===- SarifRules.h - Checks as SARIF rules ---------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page of a check, which code scanning shows next to an alert.
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
  std::string Level; ///< "error", "warning", or "note"
  std::string Short, Full, Help;
};

/// Returns the checks that ran, in order, and any other checks that findings
/// name.
std::vector<SarifRule> sarifRules(const Report &R);

/// Returns \p Page without the targets of relative links, because the reader of
/// the report does not have the other pages.
std::string withoutRelativeLinks(llvm::StringRef Page);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_SARIFRULES_H
