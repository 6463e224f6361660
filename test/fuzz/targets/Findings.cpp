//===- Findings.cpp - Reports that a run is compared with -----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "confirm/Confirm.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  using namespace cudagraph::confirm;
  // The input is a file with findings, and then files with the events of runs.
  std::vector<std::string> Parts = fuzz::parts(fuzz::text(Data, Size));
  StaticResult Findings;
  std::string Why;
  if (!readFindings(Parts.front(), "findings.json", Findings, Why))
    return 0;
  (void)watchList(Findings);
  Run Seen;
  for (size_t I = 1; I < Parts.size(); ++I)
    (void)readReport(Parts[I], "report.json", Seen, Why);
  Joined Result = join(Findings, Seen);
  (void)printText(Findings, Seen, Result);
  (void)printJson(Findings, Seen, Result);
  return 0;
}
