//===- Arguments.cpp - The arguments of the command line ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "driver/support/ResponseFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <deque>

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// Returns true if \p Word looks like an option but names a file.
bool isNameInDisguise(StringRef Word) {
  if (!Word.starts_with("@") && !Word.starts_with("-"))
    return false;
  sys::fs::file_status Status;
  // A dangling link also counts as a file with that name.
  return !sys::fs::status(Word, Status, /*follow=*/false) &&
         Status.type() != sys::fs::file_type::directory_file;
}

} // namespace

Expected<std::vector<std::string>>
expandArguments(ArrayRef<const char *> Words, std::vector<std::string> &Read) {
  const auto *End =
      find_if(Words, [](const char *W) { return StringRef(W) == "--"; });
  SmallVector<const char *, 32> Own(Words.begin(), End);
  std::deque<std::string> Names;
  if (any_of(Own, [](StringRef Word) {
        return Word == "--literal-names" || Word == "-literal-names";
      }))
    for (const char *&Word : Own)
      if (isNameInDisguise(Word))
        Word = Names.emplace_back("./" + std::string(Word)).c_str();
  auto Result = expandResponseFiles(Own, Read);
  if (Result)
    Result->insert(Result->end(), End, Words.end());
  return Result;
}

} // namespace cudagraph::driver
