//===- RecordingDisk.cpp - Records accesses to the disk -------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordingDisk.h"
#include "ParseOnly.h"
#include "versions/LLVMVersions.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace cudagraph::driver {

/// The first answer counts: a file that appears later did not exist. Only a
/// file that exists may still turn out to be unreadable.
void RecordingDisk::note(const Twine &Path, std::error_code EC) {
  uint64_t Answer = !EC              ? FileUse::Present
                    : saysAbsent(EC) ? FileUse::Absent
                                     : FileUse::Unreadable;
  uint64_t &Known = Asked.try_emplace(Path.str(), Answer).first->second;
  if (Known == FileUse::Present && Answer == FileUse::Unreadable)
    Known = Answer;
}

ErrorOr<vfs::Status> RecordingDisk::status(const Twine &Path) {
  ErrorOr<vfs::Status> Result = ProxyFileSystem::status(Path);
  note(Path, Result.getError());
  return Result;
}

bool RecordingDisk::exists(const Twine &Path) {
  return status(Path).getError() == std::error_code();
}

ErrorOr<std::unique_ptr<vfs::File>>
RecordingDisk::openFileForRead(const Twine &Path) {
  // A pipe or a device may have no end, so it is not opened.
  if (ErrorOr<vfs::Status> Found = ProxyFileSystem::status(Path))
    if (std::error_code Why = unreadable(*Found)) {
      note(Path, Why);
      return Why;
    }
  auto Result = ProxyFileSystem::openFileForRead(Path);
  note(Path, Result.getError());
  return Result;
}

std::vector<FileUse> RecordingDisk::uses(const clang::SourceManager &SM,
                                         StringRef Directory) const {
  std::vector<FileUse> Result;
  StringSet<> Read;
  auto Add = [&](StringRef Name, uint64_t Hash) {
    SmallString<256> Path(Name);
    sys::path::make_absolute(Directory, Path);
    if (Hash > FileUse::Unreadable)
      Read.insert(Path);
    else if (Read.contains(Path))
      return;
    Result.push_back({Path.str().str(), Hash});
  };
  for (auto It = SM.fileinfo_begin(); It != SM.fileinfo_end(); ++It)
    if (auto Contents = It->second->getBufferDataIfLoaded())
      Add(It->first.getName(), contentHash(*Contents));
  for (const auto &Entry : Asked)
    Add(Entry.getKey(), Entry.getValue());
  llvm::sort(Result, [](const FileUse &A, const FileUse &B) {
    return std::tie(A.Path, A.Hash) < std::tie(B.Path, B.Hash);
  });
  return Result;
}

} // namespace cudagraph::driver
