//===- ResponseFile.cpp - The command line, and files that it names --------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "driver/Options.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  using namespace cudagraph::driver;
  fuzz::File Response(fuzz::text(Data, Size));
  std::string Argument = "@" + Response.path();
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  // As main() does it.
  llvm::SmallVector<const char *, 32> Args{Argument.c_str()};
  llvm::cl::ExpandResponseFiles(Saver, llvm::cl::TokenizeGNUCommandLine, Args);
  llvm::Expected<Options> Result = parseOptions(Args);
  if (!Result)
    llvm::consumeError(Result.takeError());
  else
    llvm::consumeError(checkTogether(*Result));
  return 0;
}
