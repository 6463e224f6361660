//===- Git.h - Runs git -----------------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All queries use git itself, because its configuration, worktrees, and quoting
// are complex. No query changes a repository or runs a command that its
// configuration or attributes name: no filter, hook, monitor, external diff, or
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

/// A range of changed lines. As in `git diff -U0`, line numbers begin with 1,
/// and a side without lines names the line before the change.
struct Hunk {
  unsigned OldStart = 0, OldCount = 0, NewStart = 0, NewCount = 0;
};

/// The changes in one file.
struct FileDiff {
  std::string Path;        ///< on the new side, from the top of the repository
  std::vector<Hunk> Hunks; ///< in order; empty if git shows no lines
};

class Git {
public:
  /// Finds the repository that contains \p Directory. The error states that git
  /// or a repository is missing, or that the repository cannot be queried
  /// safely.
  static llvm::Expected<Git> at(llvm::StringRef Directory);

  /// Returns the absolute path of the top of the work tree.
  const std::string &top() const { return Top; }

  /// Returns the output of `git Args...`. The error contains git's message.
  llvm::Expected<std::string> run(llvm::ArrayRef<llvm::StringRef> Args) const;

  /// Returns the changes that `git diff Args...` finds, without removed files.
  llvm::Expected<std::vector<FileDiff>>
  diff(llvm::ArrayRef<llvm::StringRef> Args) const;

private:
  std::string Program, Top;
  std::vector<std::string> NoFilters; ///< settings that disable filters

  /// Fills NoFilters from the repository's configuration.
  llvm::Error findFilters();
};

/// Reads the output of `git diff -U0` with the prefixes a/ and b/.
std::vector<FileDiff> parseDiff(llvm::StringRef Text);

/// Reads the output of `git diff --numstat -z`. Returns the files whose lines
/// git does not show, because their contents or an attribute in the repository
/// make them binary.
std::vector<std::string> parseBinaries(llvm::StringRef Text);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SELECTION_GIT_H
