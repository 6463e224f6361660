//===- Baseline.cpp - Baselines -------------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "driver/selection/Baseline.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  fuzz::File Known(fuzz::text(Data, Size));
  llvm::Expected<cudagraph::driver::Baseline> Result =
      cudagraph::driver::Baseline::read(Known.path());
  if (!Result) {
    llvm::consumeError(Result.takeError());
    return 0;
  }
  for (const cudagraph::driver::BaselineEntry &Entry : Result->entries())
    if (!Result->contains(Entry.Fingerprint))
      std::abort();
  return 0;
}
