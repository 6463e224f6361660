//===- ProjectCode.h - Which files are the project's own --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The catalogue speaks for libraries, and system headers are not looked into.
// But somebody writes these libraries: what a project holds is its code,
// whatever its namespace and however it is included. It is not if it stands in
// a repository of its own, in a CUDA toolkit, or where the code of others is
// kept (ForeignFolders.def).
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
  /// Returns the folder of the project that \p Source, an absolute path, is a
  /// part of: the top of its repository, or else the first of \p Others that
  /// holds it; empty if there is none. A folder of a toolkit or of a package
  /// manager is none, and neither is one of the system or a user's home.
  static std::string rootOf(llvm::StringRef Source,
                            llvm::ArrayRef<std::string> Others = {});

  /// \p Root: what rootOf() returns.
  ProjectCode(const clang::SourceManager &SM, std::string Root)
      : SM(SM), Root(std::move(Root)) {}
  /// The project of the main file.
  explicit ProjectCode(const clang::SourceManager &SM);

  /// True if \p Loc stands in a file of the project.
  bool owns(clang::SourceLocation Loc) const;
  /// True if \p Loc stands in a system header of others.
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
