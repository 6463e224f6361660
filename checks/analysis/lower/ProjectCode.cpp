//===- ProjectCode.cpp - The project's own files --------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProjectCode.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace clang;
namespace path = llvm::sys::path;

namespace cudagraph {

static bool holds(StringRef Folder, const char *Name) {
  llvm::SmallString<256> Path(Folder);
  path::append(Path, Name);
  return llvm::sys::fs::exists(Path);
}

/// True for the folder of a toolkit, or of its headers.
static bool isInstalled(StringRef Folder) {
#define INSTALLED(FIRST, SECOND)                                               \
  if (holds(Folder, FIRST) && holds(Folder, SECOND))                           \
    return true;
#include "ForeignFolders.def"
  return false;
}

static bool isForOthers(StringRef Name) {
  for (StringRef Each : {
#define FOLDER(NAME) StringRef(NAME),
#include "ForeignFolders.def"
       })
    if (Name == Each)
      return true;
  return false;
}

static bool isBelow(StringRef Path, StringRef Folder) {
  return Path.consume_front(Folder) && Path.starts_with("/");
}

/// True for a folder that contains several projects.
static bool isShared(StringRef Folder) {
  for (StringRef System : {"/", "/usr", "/usr/local", "/opt", "/home", "/tmp"})
    if (Folder == System)
      return true;
  llvm::SmallString<256> Home;
  return path::home_directory(Home) && Folder == Home;
}

std::string ProjectCode::rootOf(StringRef Source,
                                llvm::ArrayRef<std::string> Others) {
  for (StringRef Each :
       llvm::make_range(path::begin(Source), path::end(Source)))
    if (Each == "site-packages" || Each == "dist-packages")
      return "";
  std::string Root;
  for (StringRef Folder = path::parent_path(Source); !Folder.empty();
       Folder = path::parent_path(Folder))
    if (holds(Folder, ".git")) {
      Root = Folder.str();
      break;
    }
  for (const std::string &Each : Others)
    if (Root.empty() && isBelow(Source, Each))
      Root = Each;
  return Root.empty() || isShared(Root) || isInstalled(Root) ? "" : Root;
}

/// The absolute path of \p File, without dots; empty if it has none.
static std::string pathOf(const SourceManager &SM, FileID File) {
  OptionalFileEntryRef Entry = SM.getFileEntryRefForID(File);
  if (!Entry)
    return "";
  llvm::SmallString<256> Path(Entry->getName());
  SM.getFileManager().makeAbsolutePath(Path);
  path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

ProjectCode::ProjectCode(const SourceManager &SM)
    : SM(SM), Root(rootOf(pathOf(SM, SM.getMainFileID()))) {}

bool ProjectCode::ownsFolder(StringRef Folder) const {
  if (Folder == Root)
    return true;
  if (!isBelow(Folder, Root))
    return false;
  if (auto It = Folders.find(Folder); It != Folders.end())
    return It->second;
  bool Result = !isForOthers(path::filename(Folder)) &&
                ownsFolder(path::parent_path(Folder)) &&
                !holds(Folder, ".git") && !isInstalled(Folder);
  return Folders[Folder] = Result;
}

bool ProjectCode::owns(SourceLocation Loc) const {
  if (Root.empty())
    return false;
  FileID File = SM.getFileID(SM.getExpansionLoc(Loc));
  if (File.isInvalid()) // implicit declarations of Clang
    return false;
  auto [It, New] = Files.try_emplace(File, false);
  if (New)
    It->second = ownsFolder(path::parent_path(pathOf(SM, File)));
  return It->second;
}

bool ProjectCode::isForeign(SourceLocation Loc) const {
  return SM.isInSystemHeader(SM.getExpansionLoc(Loc)) && !owns(Loc);
}

} // namespace cudagraph
