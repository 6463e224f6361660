//===- OutlineCheck.cpp - Validates a unit without its functions ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See faultInOutline() in SummaryCheck.h. A run that reuses the results of the
// previous run reads only this part of its units.
//
//===----------------------------------------------------------------------===//

#include "SummaryCheck.h"

namespace cudagraph {

/// The maximum total number of lines of all files that contain NOLINT
/// directives.
static constexpr uint64_t MaxNolintLines = 1 << 26;

/// Directives are found by their line numbers, and memory is reserved for all
/// lines up to the last one.
static std::string faultInNolint(const UnitSummary &Unit) {
  uint64_t Lines = 0;
  for (const NolintLines &F : Unit.Nolint) {
    llvm::StringRef Name(F.File);
    if (Name.empty() || Name.ends_with("/") || Name.contains('\0'))
      return "a file with NOLINT directives has no name";
    unsigned Last = 1;
    for (const auto &[Number, Text] : F.Lines) {
      if (Number < Last)
        return "the lines with NOLINT directives of '" + F.File +
               "' are out of order";
      Last = Number;
    }
    Lines += Last;
  }
  return Lines > MaxNolintLines
             ? "there are too many lines with NOLINT directives"
             : "";
}

std::string faultInOutline(const UnitSummary &Unit) {
  for (const SkippedBranch &Branch : Unit.Skipped)
    if (!Branch.Line || Branch.EndLine < Branch.Line || Branch.File.empty() ||
        Branch.Names.empty())
      return "code under a false #if has no location or no names";
  return faultInNolint(Unit);
}

} // namespace cudagraph
