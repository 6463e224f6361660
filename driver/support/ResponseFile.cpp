//===- ResponseFile.cpp - Arguments in response files ---------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file does not use llvm::cl::ExpandResponseFiles, which reads any file to
// its end and does not terminate on files that name others twice.
//
//===----------------------------------------------------------------------===//

#include "ResponseFile.h"
#include "Errors.h"
#include "Paths.h"
#include "support/InputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include <functional>

using namespace llvm;

namespace cudagraph::driver {
namespace {

constexpr unsigned MaxDepth = 16, MaxFiles = 1000;

} // namespace

Expected<std::string> readResponseFile(StringRef Path, StringRef Directory) {
  std::string Text;
  if (support::InputError E = support::readInput(absolutePath(Path, Directory),
                                                 support::Bound::Words, Text))
    return makeError(E.message());
  return Text;
}

Error ResponseFiles::expand(
    StringRef Path, function_ref<Error(std::vector<std::string>)> Each) {
  SmallString<128> File(Path);
  sys::path::remove_dots(File, /*remove_dot_dot=*/true);
  if (is_contained(Open, File))
    return makeError("it includes itself; remove the line that includes it");
  if (Open.size() == MaxDepth)
    return makeError("response files are nested more than " + Twine(MaxDepth) +
                     " levels deep; put the arguments into one file");
  if (Count == MaxFiles)
    return makeError("one command includes more than " + Twine(MaxFiles) +
                     " response files; put the arguments into one file");
  ++Count;
  Expected<std::string> Text = ReadFile(Path);
  if (!Text)
    return Text.takeError();
  Bytes += Text->size();
  if (support::InputError E = support::checkSize(Bytes, support::Bound::Words))
    return makeError("together with the previous files, " + E.message());
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *> Words;
  cl::TokenizeGNUCommandLine(*Text, Saver, Words);
  Open.push_back(File.str().str());
  Error Result = Each(std::vector<std::string>(Words.begin(), Words.end()));
  Open.pop_back();
  return Result;
}

Expected<std::vector<std::string>>
expandResponseFiles(ArrayRef<const char *> Args,
                    std::vector<std::string> &Read) {
  constexpr StringRef Prefix = "cannot read the response file ";
  std::vector<std::string> Result;
  auto ReadFile = [&](StringRef Path) {
    Read.push_back(Path.str());
    return readResponseFile(Path);
  };
  ResponseFiles Files(ReadFile);
  std::function<Error(std::vector<std::string>)> Add =
      [&](std::vector<std::string> Words) -> Error {
    for (std::string &Word : Words) {
      if (Word.size() < 2 || Word.front() != '@') {
        Result.push_back(std::move(Word));
        continue;
      }
      if (Error E = Files.expand(StringRef(Word).drop_front(), Add))
        // Only the innermost file is at fault.
        return handleErrors(std::move(E), [&](const StringError &Inner) {
          std::string Text = Inner.getMessage();
          return StringRef(Text).starts_with(Prefix)
                     ? makeError(Text)
                     : makeError(Prefix + Word + ": " + Text);
        });
    }
    return Error::success();
  };
  if (Error E = Add(std::vector<std::string>(Args.begin(), Args.end())))
    return std::move(E);
  return Result;
}

} // namespace cudagraph::driver
