//===- HeaderWeights.cpp - The sizes of headers ---------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeaderWeights.h"
#include "driver/support/InputBuffer.h"
#include "driver/support/Paths.h"
#include "driver/translation/SearchPath.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// CUDA's headers, which Clang reads before a source.
constexpr uint64_t CommandWeight = 1 << 20;
/// A header of the compiler or the standard library and the headers that it
/// includes.
constexpr uint64_t UnknownWeight = 64 << 10;
/// If there are more files than this, everything counts as large.
constexpr size_t MostFiles = 400;

std::vector<std::string> includesIn(StringRef Text) {
  std::vector<std::string> Result;
  for (size_t At = Text.find('#'); At != StringRef::npos;
       At = Text.find('#', At + 1)) {
    StringRef Rest = Text.drop_front(At + 1).ltrim(" \t");
    if (!Rest.consume_front("include"))
      continue;
    Rest = Rest.ltrim(" \t");
    bool Quoted = Rest.starts_with("\"");
    if (!Quoted && !Rest.starts_with("<"))
      continue;
    size_t End = Rest.find_first_of(Quoted ? "\"\n" : ">\n", 1);
    if (End > 1 && End != StringRef::npos && Rest[End] != '\n')
      Result.push_back(Rest.take_front(End + 1).str());
  }
  return Result;
}

} // namespace

const HeaderWeights::File &HeaderWeights::read(const std::string &Path) {
  auto [It, New] = Files.try_emplace(Path);
  if (!New)
    return It->second;
  std::unique_ptr<MemoryBuffer> Text = tryReadBuffer(Path);
  if (Text)
    It->second = {true, Text->getBufferSize(), includesIn(Text->getBuffer())};
  return It->second;
}

std::vector<uint64_t> HeaderWeights::of(const std::vector<LeadingPart> &Parts,
                                        const std::vector<std::string> &Args,
                                        const std::string &Directory) {
  std::vector<std::string> Path = searchPath(Args, Directory);
  StringSet<> Seen, Resolved;
  uint64_t Weight = 1;
  std::vector<std::pair<std::string, std::string>> ToDo; // include, directory
  auto Add = [&](StringRef Header, StringRef Folder) {
    ToDo.emplace_back(Header, Folder);
    while (!ToDo.empty() && Seen.size() < MostFiles) {
      auto [Include, From] = ToDo.back();
      ToDo.pop_back();
      bool Quoted = Include.front() == '"';
      // The meaning of a name depends on the including file only if the name is
      // quoted.
      if (!Resolved.insert(Quoted ? From + Include : Include).second)
        continue;
      StringRef Name = StringRef(Include).drop_front().drop_back();
      const File *Found = nullptr;
      std::string Where;
      auto Try = [&](StringRef In) {
        Where = absolutePath(Name, In.str());
        const File &Each = read(Where);
        Found = Each.Exists ? &Each : nullptr;
        return Found != nullptr;
      };
      if (!(Quoted && Try(From)))
        (void)any_of(Path, Try);
      if (!Found) {
        if (Seen.insert(Name).second)
          Weight += UnknownWeight;
        continue;
      }
      if (!Seen.insert(Where).second)
        continue;
      Weight += Found->Size;
      for (const std::string &Each : Found->Includes)
        ToDo.emplace_back(Each, sys::path::parent_path(Where).str());
    }
    ToDo.clear();
  };
  std::vector<uint64_t> Result;
  for (const LeadingPart &Part : Parts) {
    if (Part.Header.empty())
      Weight += CommandWeight;
    else
      Add(Part.Header, absolutePath(Part.Folder, Directory));
    Result.push_back(Weight);
  }
  return Result;
}

} // namespace cudagraph::driver
