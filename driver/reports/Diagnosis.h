//===- Diagnosis.h - Groups errors of many units by cause -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the toolkit or the flags do not fit a project, each of its units has the
// same few errors. groupErrors() groups the errors of all units by message,
// counts the units, and names the cause and the remedy if Diagnoses.def
// contains them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_REPORTS_DIAGNOSIS_H
#define CUDAGRAPH_DRIVER_REPORTS_DIAGNOSIS_H

#include "Report.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace cudagraph::reports {

/// Errors that have one cause or differ only in names.
struct ErrorGroup {
  unsigned Units = 0;  ///< with such an error
  unsigned Errors = 0; ///< in all of them
  std::string First;   ///< "a.cu:1:2: error: ..."
  std::string Message; ///< the most frequent one
  unsigned Others = 0; ///< other messages of the group
  std::string Advice;  ///< the cause and the remedy; empty: unknown
};

/// Returns the errors of \p Units in groups, the group with the most units
/// first.
std::vector<ErrorGroup> groupErrors(llvm::ArrayRef<IncompleteUnit> Units);

/// Returns "22 units, 30 errors: no member named ...: use another toolkit".
std::string described(const ErrorGroup &G);

} // namespace cudagraph::reports

#endif // CUDAGRAPH_DRIVER_REPORTS_DIAGNOSIS_H
