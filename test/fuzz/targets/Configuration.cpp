//===- Configuration.cpp - .cudagraph-tidy.yaml and .clang-tidy -----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "clang-tidy/ClangTidyOptions.h"
#include "driver/options/Options.h"
#include "driver/options/ProjectFile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  using namespace cudagraph::driver;
  fuzz::File Project(fuzz::text(Data, Size));
  Options CommandLine;
  CommandLine.ConfigFile = Project.path();
  llvm::Expected<ProjectFile> Read = ProjectFile::find(CommandLine);
  if (!Read) {
    llvm::consumeError(Read.takeError());
    return 0;
  }
  std::vector<std::string> Configured = Read->arguments(CommandLine);
  std::vector<const char *> Args;
  for (const std::string &Each : Configured)
    Args.push_back(Each.c_str());
  llvm::Expected<Options> Result = parseOptions(Args);
  if (!Result)
    llvm::consumeError(Result.takeError());
  return 0;
}
