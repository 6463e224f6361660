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
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace cudagraph::driver {
namespace {

/// A file in memory, which is not copied.
class ProvidedFile : public vfs::File {
public:
  ProvidedFile(vfs::Status Known, StringRef Contents)
      : Known(std::move(Known)), Contents(Contents) {}

  ErrorOr<vfs::Status> status() override { return Known; }
  ErrorOr<std::unique_ptr<MemoryBuffer>>
  getBuffer(const Twine &Name, int64_t, bool NeedsNull, bool) override {
    if (NeedsNull)
      return MemoryBuffer::getMemBufferCopy(Contents, Name);
    return MemoryBuffer::getMemBuffer(Contents, Name.str(),
                                      /*RequiresNullTerminator=*/false);
  }
  std::error_code close() override { return {}; }

private:
  vfs::Status Known;
  StringRef Contents;
};

} // namespace

void RecordingDisk::provide(StringRef Path, StringRef Contents) {
  vfs::Status Known(Path, vfs::getNextVirtualUniqueID(),
                    sys::TimePoint<std::chrono::seconds>(), 0, 0,
                    Contents.size(), sys::fs::file_type::regular_file,
                    sys::fs::all_read);
  Provided[Path] = {Known, Contents};
}

void RecordingDisk::rename(StringRef Path, StringRef Name) {
  Names[Path] = Name.str();
}

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

const RecordingDisk::File *RecordingDisk::provided(const Twine &Path) const {
  std::string Name = Path.str();
  auto It = Provided.find(Name);
  if (It == Provided.end())
    if (auto Other = Names.find(Name); Other != Names.end())
      It = Provided.find(Other->second);
  return It == Provided.end() ? nullptr : &It->second;
}

ErrorOr<vfs::Status> RecordingDisk::status(const Twine &Path) {
  if (const File *Known = provided(Path))
    return Known->first;
  ErrorOr<vfs::Status> Result = ProxyFileSystem::status(Path);
  note(Path, Result.getError());
  if (!Names.empty() && Result)
    if (auto It = Names.find(Path.str()); It != Names.end()) {
      Result = vfs::Status::copyWithNewName(*Result, It->second);
      Result->ExposesExternalVFSPath = true; // this name is used
    }
  return Result;
}

bool RecordingDisk::exists(const Twine &Path) {
  return status(Path).getError() == std::error_code();
}

ErrorOr<std::unique_ptr<vfs::File>>
RecordingDisk::openFileForRead(const Twine &Path) {
  if (const File *Known = provided(Path))
    return std::make_unique<ProvidedFile>(Known->first, Known->second);
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
                                         StringRef Directory,
                                         ArrayRef<FileUse> Before) const {
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
  for (const FileUse &Each : Before)
    if (Each.Hash > FileUse::Unreadable)
      Add(Each.Path, Each.Hash);
  for (auto It = SM.fileinfo_begin(); It != SM.fileinfo_end(); ++It)
    if (auto Contents = It->second->getBufferDataIfLoaded();
        Contents && !Provided.contains(It->first.getName()))
      Add(It->first.getName(), contentHash(*Contents));
  for (const FileUse &Each : Before)
    if (Each.Hash <= FileUse::Unreadable)
      Add(Each.Path, Each.Hash);
  for (const auto &Entry : Asked)
    Add(Entry.getKey(), Entry.getValue());
  llvm::sort(Result, [](const FileUse &A, const FileUse &B) {
    return std::tie(A.Path, A.Hash) < std::tie(B.Path, B.Hash);
  });
  Result.erase(llvm::unique(Result,
                            [](const FileUse &A, const FileUse &B) {
                              return A.Path == B.Path && A.Hash == B.Hash;
                            }),
               Result.end());
  return Result;
}

} // namespace cudagraph::driver
