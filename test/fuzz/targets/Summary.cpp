//===- Summary.cpp - Summaries and cached results -------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checksum of the fuzzer's input is corrected, because a forged summary
// would also have a correct one. Accepted summaries are linked and analyzed.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "analysis/program/Program.h"
#include "catalogue/Catalogue.h"
#include "rules/Analyze.h"
#include "rules/Evaluate.h"
#include "llvm/Support/xxhash.h"

using namespace cudagraph;

/// Adds the first line and the checksum of a summary to \p Made.
static std::string sealed(llvm::StringRef Made) {
  static const std::string Magic = [] {
    std::string Bytes = encodeSummary(UnitSummary());
    return Bytes.substr(0, Bytes.find('\n') + 1);
  }();
  if (Made.starts_with("cudagraph-tidy summary"))
    Made = Made.split('\n').second.drop_back(
        std::min<size_t>(8, Made.split('\n').second.size()));
  std::string Result = Magic + Made.str();
  uint64_t Sum = llvm::xxh3_64bits(llvm::StringRef(Result));
  for (unsigned Shift = 0; Shift < 64; Shift += 8)
    Result += static_cast<char>(Sum >> Shift);
  return Result;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  llvm::StringRef Made(reinterpret_cast<const char *>(Data), Size);
  (void)decodeResult(Made);
  llvm::Expected<UnitSummary> Unit = decodeSummary(sealed(Made));
  if (!Unit) {
    llvm::consumeError(Unit.takeError());
    return 0;
  }
  std::vector<UnitSummary> Units;
  Units.push_back(std::move(*Unit));
  Program Linked(std::move(Units));
  UnitSettings Settings;
  Settings.Known = &catalogue::Catalogue::builtin();
  Settings.Analysis.Roots = "stream-param,torch-ops,entry-points";
  Settings.Analysis.Least = Confidence::Possible;
  (void)analyzeProgram(Linked, Settings);
  (void)nolintOf(Linked.units());
  return 0;
}
