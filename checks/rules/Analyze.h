//===- Analyze.h - The one entry point of all hosts -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the analysis once over a parsed translation unit and lets every rule
// speak. Hosts filter by check, confidence and NOLINT; they never analyse.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_RULES_ANALYZE_H
#define CUDAGRAPH_RULES_ANALYZE_H

#include "../analysis/Finding.h"
#include "../analysis/Options.h"
#include "../catalogue/Catalogue.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace clang {
class ASTContext;
}

namespace cudagraph {

/// Static description of a check, from Checks.def.
struct CheckInfo {
  const char *Class;
  const char *Id;
  const char *Severity;
  const char *Summary;
};

/// All checks, sorted by id.
const std::vector<CheckInfo> &allChecks();

/// Analyses the translation unit in \p Context. The result holds findings of
/// every check at or above Options.Least, unsuppressed: NOLINT is the host's
/// task (Suppression.h). \p Suppressed, if given, is asked for each way to a
/// finding before ways are merged: a call that one region reaches along a
/// suppressed chain stays a finding of the other regions. \p Catalogue must
/// outlive the call.
UnitResult
analyzeUnit(clang::ASTContext &Context, const catalogue::Catalogue &Catalogue,
            const AnalysisOptions &Options,
            llvm::function_ref<bool(const Finding &)> Suppressed = {});

} // namespace cudagraph

#endif // CUDAGRAPH_RULES_ANALYZE_H
