//===- Symbols.cpp - Symbol tables of modules in a trace ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Symbolizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  // The file that the program loaded, according to the trace.
  fuzz::File Module(fuzz::text(Data, Size));
  cudagraph::probe::TraceModule Named;
  Named.Path = Module.path();
  Named.BuildId = "00";
  std::unique_ptr<cudagraph::probe::Symbolizer> Symbols =
      cudagraph::probe::createSymbolizer();
  for (uint64_t Offset : {uint64_t(0), uint64_t(0x1000), ~uint64_t(0)})
    (void)Symbols->frames(Named, Offset);
  (void)cudagraph::probe::demangled(
      llvm::StringRef(reinterpret_cast<const char *>(Data), Size));
  return 0;
}
