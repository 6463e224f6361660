//===- Trace.cpp - Traces of the probe, and tables of symbols -------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Analysis.h"
#include "Json.h"
#include "Text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  using namespace cudagraph::probe;
  // The input is the trace of a process, and then a table of symbols.
  std::vector<std::string> Parts = fuzz::parts(fuzz::text(Data, Size));
  Trace T;
  readProcess("1.jsonl", Parts.front(), T);
  llvm::Expected<std::unique_ptr<Symbolizer>> Table =
      createTableSymbolizer(Parts.size() > 1 ? Parts[1] : "{}");
  if (!Table) {
    llvm::consumeError(Table.takeError());
    return 0;
  }
  Report R = analyse(T, **Table);
  writeText(llvm::nulls(), R, /*Quiet=*/false, /*Verbose=*/true);
  std::string Json;
  llvm::raw_string_ostream Out(Json);
  writeJson(Out, R);
  if (Report Again; readReport(Json, Again))
    std::abort(); // written output can be read
  return 0;
}
