//===- ChangedLines.h - The changed lines -----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines "changed" for --diff-base and --staged. A finding involves a change
// if its call, or any step on the path to it, is on a changed line. If a change
// adds a call to a helper that waits, the change breaks the capture, not the
// helper.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SELECTION_CHANGEDLINES_H
#define CUDAGRAPH_DRIVER_SELECTION_CHANGEDLINES_H

#include "Git.h"
#include "analysis/findings/Finding.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace cudagraph::driver {

class ChangedLines {
public:
  /// Queries the repository of \p Directory for the changes of the work tree,
  /// including untracked files, since the merge base of \p Ref and HEAD.
  static llvm::Expected<ChangedLines> since(llvm::StringRef Directory,
                                            llvm::StringRef Ref);

  /// Queries the changes of the index since HEAD. Line numbers are those of the
  /// work tree, which the compiler reads.
  static llvm::Expected<ChangedLines> staged(llvm::StringRef Directory);

  /// True if \p L contains a changed line, or one next to removed lines.
  bool contains(const Location &L);

  /// True if the change involves \p F. Sets F.ChangedAt if the call itself did
  /// not change.
  bool touches(Finding &F);

  /// Returns the changed files, sorted, without removed files.
  std::vector<std::string> files() const;

  /// Staged files that differ between the work tree and the index, by path from
  /// the top of the repository.
  const std::vector<std::string> &alsoUnstaged() const { return Unstaged; }

private:
  /// The first and last lines of each range, sorted; empty for the whole file.
  using Ranges = std::vector<std::pair<unsigned, unsigned>>;
  llvm::StringMap<Ranges> Files; ///< by real path
  llvm::StringMap<std::string> RealPaths;
  std::vector<std::string> Unstaged;

  const Ranges *rangesOf(llvm::StringRef File);
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SELECTION_CHANGEDLINES_H
