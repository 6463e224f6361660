//===- Analyze.h - The entry point for all hosts ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the analysis on a program of one or more translation units and applies
// every rule. Hosts only filter the findings by check, confidence, and NOLINT.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_RULES_ANALYZE_H
#define CUDAGRAPH_RULES_ANALYZE_H

#include "../catalogue/Catalogue.h"
#include "analysis/findings/Finding.h"
#include "analysis/findings/Options.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace clang {
class ASTContext;
}

namespace cudagraph {

class ParseErrors;

class Program;
class RootStore;
struct RootResult;

/// Static description of a check, from Checks.def.
struct CheckInfo {
  const char *Class;
  const char *Id;
  const char *Severity;
  const char *Summary;
};

/// All checks, sorted by id.
const std::vector<CheckInfo> &allChecks();

/// The settings of the analysis of one translation unit.
struct UnitSettings {
  AnalysisOptions Analysis;
  const catalogue::Catalogue *Known = nullptr; ///< must outlive the analysis
};

/// Analyzes \p Linked. \p Settings has an item for each unit; code is analyzed
/// with the settings of the unit that contains its root. The result contains
/// the findings of every check at or above the lowest confidence that a unit
/// requests. \p Suppressed, if given, is called for each path to a finding
/// before paths are merged, so a call that one region reaches along a
/// suppressed chain remains a finding of the other regions. \p Store, if given,
/// caches the findings from each root. \p OutOfTime, if given, is called
/// periodically: once it returns true, the walks stop, and UnitResult::Cuts
/// names those that were not finished.
UnitResult
analyzeProgram(Program &Linked, llvm::ArrayRef<UnitSettings> Settings,
               llvm::function_ref<bool(const Finding &)> Suppressed = {},
               RootStore *Store = nullptr,
               llvm::function_ref<bool()> OutOfTime = nullptr);

/// Returns the result of analyzeProgram() if the results of its \p Walks are
/// already known. \p Results contains them, in the same order.
UnitResult combineResults(std::vector<RootResult> Results,
                          std::vector<UnitResult::Walk> Walks,
                          llvm::ArrayRef<UnitSettings> Settings,
                          llvm::function_ref<bool(const Finding &)> Suppressed);

/// Analyzes only the translation unit in \p Context. The locations of the
/// result refer to its source manager (Location::Raw). \p Errors contains
/// its parse errors, or is null.
UnitResult
analyzeUnit(clang::ASTContext &Context, const catalogue::Catalogue &Catalogue,
            const AnalysisOptions &Options,
            llvm::function_ref<bool(const Finding &)> Suppressed = {},
            const ParseErrors *Errors = nullptr);

} // namespace cudagraph

#endif // CUDAGRAPH_RULES_ANALYZE_H
