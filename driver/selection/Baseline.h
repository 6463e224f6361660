//===- Baseline.h - The baseline of known findings --------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A baseline contains the findings that a project tolerates, so that only new
// findings are reported. The file contains one JSON value for each line: first
// the version, then the findings. The findings are sorted and have no line
// numbers, so that edits elsewhere do not change the file, and version control
// can merge it. The fingerprint identifies a finding (Fingerprint.h); the other
// fields are for people.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SELECTION_BASELINE_H
#define CUDAGRAPH_DRIVER_SELECTION_BASELINE_H

#include "driver/reports/Report.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace cudagraph::driver {

struct BaselineEntry {
  std::string Fingerprint, Check;
  std::string File; ///< from the root of the repository
  std::string Function, Callee;
  unsigned Line = 0; ///< in the baseline file; 0: not from there
};

class Baseline {
public:
  /// Reads \p Path. The error names the invalid line.
  static llvm::Expected<Baseline> read(const std::string &Path);
  /// Returns an empty baseline, to be written to \p Path.
  static Baseline empty(const std::string &Path);

  bool contains(llvm::StringRef Fingerprint) const {
    return Known.contains(Fingerprint);
  }
  const std::vector<BaselineEntry> &entries() const { return Entries; }
  const std::string &path() const { return Path; }
  /// The version of the tool that wrote it; empty if none.
  const std::string &toolVersion() const { return ToolVersion; }

  void add(BaselineEntry Entry);
  void removeIf(llvm::function_ref<bool(const BaselineEntry &)> Gone);

  /// Writes the baseline, completely or not at all.
  llvm::Error write() const;

private:
  std::string Path, ToolVersion;
  std::vector<BaselineEntry> Entries;
  llvm::StringMap<bool> Known;
};

/// Returns the entry for \p F.
BaselineEntry entryFor(const reports::Report &R, const Finding &F);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SELECTION_BASELINE_H
