//===- Arguments.cpp - The words of the command line ----------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// Returns true if \p Word would not be read as a name, but is one.
bool isNameInDisguise(StringRef Word) {
  if (!Word.starts_with("@") && !Word.starts_with("-"))
    return false;
  sys::fs::file_status Status;
  // A link that leads nowhere is a file of that name all the same.
  return !sys::fs::status(Word, Status, /*follow=*/false) &&
         Status.type() != sys::fs::file_type::directory_file;
}

} // namespace

Expected<SmallVector<const char *, 32>>
expandArguments(ArrayRef<const char *> Words, StringSaver &Saver) {
  const auto *End =
      find_if(Words, [](const char *W) { return StringRef(W) == "--"; });
  SmallVector<const char *, 32> Result(Words.begin(), End);
  if (any_of(Result, [](StringRef Word) {
        return Word == "--literal-names" || Word == "-literal-names";
      }))
    for (const char *&Word : Result)
      if (isNameInDisguise(Word))
        Word = Saver.save("./" + Twine(Word)).data();
  BumpPtrAllocator Memory; // of the expansion; what it returns is copied
  cl::ExpansionContext Context(Memory, cl::TokenizeGNUCommandLine);
  if (Error E = Context.expandResponseFiles(Result))
    return std::move(E);
  for (const char *&Word : Result)
    Word = Saver.save(StringRef(Word)).data();
  Result.append(End, Words.end());
  return Result;
}

} // namespace cudagraph::driver
