//===- Catalogue.cpp - Catalogue files ------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "catalogue/Catalogue.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const cudagraph::catalogue::Catalogue Empty;
  cudagraph::catalogue::Catalogue Copy = Empty;
  (void)Copy.add(fuzz::text(Data, Size), "fuzz.json", /*RequireReason=*/true);
  return 0;
}
