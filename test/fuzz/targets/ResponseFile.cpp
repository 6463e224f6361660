//===- ResponseFile.cpp - The command line, and files that it names -------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "driver/options/Arguments.h"
#include "driver/options/Options.h"
#include "llvm/ADT/SmallVector.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  using namespace cudagraph::driver;
  fuzz::File Response(fuzz::text(Data, Size));
  std::string Argument = "@" + Response.path();
  // As in main().
  std::vector<std::string> Read;
  auto Expanded = expandArguments({Argument.c_str()}, Read);
  if (!Expanded) {
    llvm::consumeError(Expanded.takeError());
    return 0;
  }
  llvm::SmallVector<const char *, 32> Args;
  for (const std::string &Word : *Expanded)
    Args.push_back(Word.c_str());
  llvm::Expected<Options> Result = parseOptions(Args);
  if (!Result)
    llvm::consumeError(Result.takeError());
  else
    llvm::consumeError(checkTogether(*Result));
  return 0;
}
