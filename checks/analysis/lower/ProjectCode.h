//===- ProjectCode.h - The project's own files ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The catalogue describes libraries, and system headers are not entered.
// However, a library can also be the project: the files of the project are its
// code, regardless of their namespace and of the form of the #include. A file
// is not the project's own if it is in a separate repository, in a CUDA
// toolkit, or in a folder for third-party code (ForeignFolders.def).
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_ANALYSIS_LOWER_PROJECTCODE_H
#define CUDAGRAPH_ANALYSIS_LOWER_PROJECTCODE_H

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace clang {
class SourceManager;
}

namespace cudagraph {

class ProjectCode {
public:
  /// Returns the folder of the project to which \p Source, an absolute path,
  /// belongs: the top of its repository, or else the first of \p Others that
  /// contains it; empty if there is none. A folder of a toolkit, of a package
  /// manager, or of the system does not count, nor does a user's home
  /// directory.
  static std::string rootOf(llvm::StringRef Source,
                            llvm::ArrayRef<std::string> Others = {});

  /// \p Root: the result of rootOf().
  ProjectCode(const clang::SourceManager &SM, std::string Root)
      : SM(SM), Root(std::move(Root)) {}
  /// The project of the main file.
  explicit ProjectCode(const clang::SourceManager &SM);

  /// True if \p Loc is in a file of the project.
  bool owns(clang::SourceLocation Loc) const;
  /// True if \p Loc is in a system header that is not the project's.
  bool isForeign(clang::SourceLocation Loc) const;

private:
  const clang::SourceManager &SM;
  std::string Root;
  mutable llvm::DenseMap<clang::FileID, bool> Files;
  mutable llvm::StringMap<bool> Folders; ///< by path
  bool ownsFolder(llvm::StringRef Folder) const;
};

} // namespace cudagraph

#endif // CUDAGRAPH_ANALYSIS_LOWER_PROJECTCODE_H
