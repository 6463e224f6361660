//===- Options.h - Settings that plugin and driver share --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every setting exists in both hosts: as a command-line option of the driver
// and as a check option of the plugin (`cudagraph-*.Roots` and so on).
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_FINDINGS_OPTIONS_H
#define CUDAGRAPH_ANALYSIS_FINDINGS_OPTIONS_H

#include "Finding.h"
#include <string>
#include <vector>

namespace cudagraph {

struct AnalysisOptions {
  /// --roots / CheckOption "Roots": a comma-separated list of "torch-ops",
  /// "entry-points", "stream-param", and "function:REGEX". The visible kinds
  /// (api-pair, wrapper, libtorch, annotation, comment) are always enabled.
  std::string Roots = DefaultRoots;
  static constexpr char DefaultRoots[] = "torch-ops";
  /// Every registered function is a root, because a report on operators is
  /// requested.
  bool AllRegistered = false;
  /// --confidence / "Confidence": the minimum confidence to report.
  Confidence Least = Confidence::Likely;
  /// --strict / "Strict": also report opaque calls.
  bool Strict = false;
  /// --advice / "Advice": also report advice.
  bool Advice = false;
  /// --catalogue / "Catalogue": additional catalogue files, semicolon-separated
  /// in the check option.
  std::vector<std::string> CatalogueFiles;
};

/// A parsed --roots value.
struct RootSelection {
  bool StreamParam = false;
  bool TorchOps = false;
  bool EntryPoints = false;
  std::vector<std::string> FunctionRegexes;
  /// Parses \p Text. On error, returns false and sets \p Error to a message
  /// that names the invalid kind and lists the valid ones.
  static bool parse(const std::string &Text, RootSelection &Result,
                    std::string &Error);
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_FINDINGS_OPTIONS_H
