//===- Git.h - What git says ------------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// git is asked, never guessed: its configuration, worktrees and quoting are its
// own. Nothing here changes a repository, and nothing that its configuration or
// its attributes name is run: no filter, hook, monitor, external diff or
// download.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SELECTION_GIT_H
#define CUDAGRAPH_DRIVER_SELECTION_GIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

/// Lines of one place that changed. As `git diff -U0` counts: lines begin with
/// 1, and a side without lines names the line before.
struct Hunk {
  unsigned OldStart = 0, OldCount = 0, NewStart = 0, NewCount = 0;
};

/// What has changed in one file.
struct FileDiff {
  std::string Path;        ///< on the new side, from the top of the repository
  std::vector<Hunk> Hunks; ///< in order; none if git has no lines to show
};

class Git {
public:
  /// Finds the repository that holds \p Directory. The error says that there
  /// is no git, or no repository, or that it cannot be asked safely.
  static llvm::Expected<Git> at(llvm::StringRef Directory);

  /// Returns the absolute path of the top of the work tree.
  const std::string &top() const { return Top; }

  /// Returns what `git Args...` prints. The error holds what git complained of.
  llvm::Expected<std::string> run(llvm::ArrayRef<llvm::StringRef> Args) const;

  /// Returns what `git diff Args...` finds changed, apart from removed files.
  llvm::Expected<std::vector<FileDiff>>
  diff(llvm::ArrayRef<llvm::StringRef> Args) const;

private:
  std::string Program, Top;
  std::vector<std::string> NoFilters; ///< settings that turn filters off

  /// Fills NoFilters from the repository's configuration.
  llvm::Error findFilters();
};

/// Reads the output of `git diff -U0` with the prefixes a/ and b/.
std::vector<FileDiff> parseDiff(llvm::StringRef Text);

/// Reads the output of `git diff --numstat -z`. Returns the files that git
/// takes for binary, of which it shows no lines: by what they hold, or because
/// an attribute of the repository says so.
std::vector<std::string> parseBinaries(llvm::StringRef Text);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SELECTION_GIT_H
