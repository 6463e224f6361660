//===- Report.cpp - The results of a run ----------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "catalogue/Catalogue.h"

namespace cudagraph::probe {

std::string errorName(int Code) {
  return std::string(catalogue::errorName(Code));
}

const char *spelling(Severity S) {
  static constexpr const char *Names[] = {"error", "warning", "remark"};
  return Names[static_cast<size_t>(S)];
}

Severity severityOf(std::string_view Kind) {
#define KIND(ID, NAME, SEVERITY)                                               \
  if (Kind == kind::ID)                                                        \
    return Severity::SEVERITY;
#include "Kinds.def"
  return Severity::Warning;
}

} // namespace cudagraph::probe
