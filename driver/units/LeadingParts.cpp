//===- LeadingParts.cpp - The parts that units may share ------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeadingParts.h"
#include "LeadingIncludes.h"
#include "driver/support/InputBuffer.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

constexpr size_t MostLevels = 8;

/// A file and its directory, as Clang spells them.
struct Level {
  std::unique_ptr<MemoryBuffer> Text;
  std::string Folder;
  std::vector<LeadingInclude> Includes;
};

/// The source, the header that it includes first, and so on.
std::vector<Level> levelsOf(const std::string &File, StringRef Name,
                            const std::string &Directory) {
  std::vector<Level> Result;
  std::string Path = File;
  std::string Folder = sys::path::parent_path(Name).str();
  while (Result.size() < MostLevels) {
    Level Next{tryReadBuffer(Path), Folder, {}};
    if (!Next.Text)
      break;
    Next.Includes =
        leadingIncludes(Next.Text->getBuffer(), /*IsHeader=*/!Result.empty());
    if (Next.Includes.empty())
      break;
    LeadingInclude First = Next.Includes.front();
    Result.push_back(std::move(Next));
    if (!First.isQuoted())
      break;
    std::string Header = ((Folder.empty() ? "." : Folder) + "/" +
                          First.Name.drop_front().drop_back())
                             .str();
    // The dots are kept, because a directory may be a link.
    Path = sys::path::is_absolute(Header) ? Header : Directory + "/" + Header;
    Folder = sys::path::parent_path(Header).str();
    if (Folder == ".")
      Folder.clear();
  }
  return Result;
}

} // namespace

std::vector<LeadingPart> leadingParts(const std::string &File, StringRef Name,
                                      const std::string &Directory,
                                      StringRef Anywhere, bool OfCommand) {
  std::vector<LeadingPart> Result;
  auto MainIn = [&](StringRef Folder) {
    return (Folder + (Folder.empty() || Folder.ends_with("/") ? "" : "/") +
            "cudagraph-preamble" + sys::path::extension(File))
        .str();
  };
  LeadingPart Next;
  if (OfCommand) {
    Next.Main = MainIn(Anywhere);
    Result.push_back(Next);
  }
  std::vector<Level> Levels = levelsOf(File, Name, Directory);
  while (!Levels.empty()) {
    const Level &L = Levels.back();
    Next = LeadingPart();
    Next.Main = MainIn(Anywhere);
    Next.Repeated = Levels.size() > 1;
    for (const LeadingInclude &Each : L.Includes) {
      // Only quoted includes depend on the directory of the file.
      if (Each.isQuoted())
        Next.Main = MainIn(L.Folder);
      Next.Text += ("#include " + Each.Name + "\n").str();
      Next.Skip = Next.Repeated ? 0 : Each.End;
      Next.Header = Each.Name.str();
      Next.Folder = L.Folder;
      Result.push_back(Next);
    }
    Levels.pop_back();
  }
  return Result;
}

} // namespace cudagraph::driver
