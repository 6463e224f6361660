//===- RecordingDisk.h - Records accesses to the disk -----------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cached result is valid as long as Clang would read the same files again.
// The files that Clang read are not sufficient: it would prefer other files if
// they existed, and it only tested whether some files exist.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_RECORDINGDISK_H
#define CUDAGRAPH_DRIVER_UNITS_RECORDINGDISK_H

#include "Frontend.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <string>
#include <vector>

namespace clang {
class SourceManager;
}

namespace cudagraph::driver {

class RecordingDisk : public llvm::vfs::ProxyFileSystem {
public:
  RecordingDisk() : ProxyFileSystem(llvm::vfs::createPhysicalFileSystem()) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &Path) override;
  bool exists(const llvm::Twine &Path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &Path) override;

  /// Provides \p Contents, which must stay alive, as the file \p Path, which
  /// is not recorded.
  void provide(llvm::StringRef Path, llvm::StringRef Contents);
  /// From now on, the file that is requested as \p Path has the name \p Name.
  void rename(llvm::StringRef Path, llvm::StringRef Name);

  /// Returns everything that a compilation in \p Directory has used, sorted:
  /// the files as \p SM contains them, not their current state, and the other
  /// queries. \p Before contains the earlier uses.
  std::vector<FileUse> uses(const clang::SourceManager &SM,
                            llvm::StringRef Directory,
                            llvm::ArrayRef<FileUse> Before = {}) const;

private:
  using File = std::pair<llvm::vfs::Status, llvm::StringRef>;
  /// The file that is provided as \p Path, possibly by another name; null if
  /// there is none.
  const File *provided(const llvm::Twine &Path) const;
  void note(const llvm::Twine &Path, std::error_code EC);
  llvm::StringMap<uint64_t> Asked; ///< a constant of FileUse, by name
  /// The provided files and their contents.
  llvm::StringMap<File> Provided;
  llvm::StringMap<std::string> Names;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_RECORDINGDISK_H
