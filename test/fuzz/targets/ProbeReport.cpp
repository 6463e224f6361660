//===- ProbeReport.cpp - Reports of the probe -----------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Json.h"
#include "Text.h"
#include "confirm/Confirm.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string_view Text = fuzz::text(Data, Size);
  cudagraph::probe::Report R;
  if (!cudagraph::probe::readReport(Text, R)) {
    cudagraph::probe::writeText(llvm::nulls(), R, /*Quiet=*/false,
                                /*Verbose=*/true);
    cudagraph::probe::writeJson(llvm::nulls(), R);
  }
  cudagraph::confirm::Run Seen;
  std::string Why;
  if (cudagraph::confirm::readReport(Text, "report.json", Seen, Why))
    (void)cudagraph::confirm::join({}, Seen);
  return 0;
}
