//===- NvccArguments.cpp - Command lines of nvcc, and options files -------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "driver/translation/NvccArgs.h"
#include "driver/database/ShellCommand.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  using namespace cudagraph::driver;
  // The input consists of arguments, one per line, and of the options files
  // that they name.
  std::vector<std::string> Parts = fuzz::parts(fuzz::text(Data, Size));
  std::vector<std::string> Args{"nvcc"};
  std::string_view Rest = Parts.front();
  while (!Rest.empty()) {
    size_t End = std::min(Rest.find('\n'), Rest.size());
    Args.emplace_back(Rest.substr(0, End));
    Rest.remove_prefix(std::min(End + 1, Rest.size()));
  }
  size_t Next = 1, Reads = 0;
  auto Read = [&](llvm::StringRef) -> llvm::Expected<std::string> {
    if (Parts.size() == 1 || ++Reads > 64)
      return llvm::createStringError("there is no such file");
    Next = Next % (Parts.size() - 1) + 1;
    return Parts[Next];
  };
  for (const char *Compiler : {"nvcc", "g++"}) {
    Args.front() = Compiler;
    Translation Result = translateCommand(Args, Read);
    for (size_t Input : Result.Inputs)
      if (Input >= Result.Args.size())
        std::abort();
    (void)quoteForShell(Result.Args);
  }
  (void)splitShellCommand(Args, "/src");
  return 0;
}
