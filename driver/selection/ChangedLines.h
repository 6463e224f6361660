//===- ChangedLines.h - The lines of a change -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --diff-base and --staged mean by changed. A finding takes part in a
// change if its call stands on a changed line, or if any step on the way to it
// does: whoever adds a call to a helper that waits has broken the capture, not
// whoever wrote the helper.
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
  /// Asks the repository of \p Directory what the work tree, untracked files
  /// included, has changed since the merge base of \p Ref and HEAD.
  static llvm::Expected<ChangedLines> since(llvm::StringRef Directory,
                                            llvm::StringRef Ref);

  /// Asks what the index has changed since HEAD. Lines are those of the work
  /// tree, which is what the compiler reads.
  static llvm::Expected<ChangedLines> staged(llvm::StringRef Directory);

  /// True if \p L holds a changed line, or one beside removed ones.
  bool contains(const Location &L);

  /// True if \p F takes part in the change. Sets F.ChangedAt if it is not the
  /// call itself that has changed.
  bool touches(Finding &F);

  /// Returns the changed files, sorted; none that is gone.
  std::vector<std::string> files() const;

  /// Staged files whose work tree differs from the index, by path from the top
  /// of the repository.
  const std::vector<std::string> &alsoUnstaged() const { return Unstaged; }

private:
  /// First and last line. Sorted; none stands for the whole file.
  using Ranges = std::vector<std::pair<unsigned, unsigned>>;
  llvm::StringMap<Ranges> Files; ///< by real path
  llvm::StringMap<std::string> RealPaths;
  std::vector<std::string> Unstaged;

  const Ranges *rangesOf(llvm::StringRef File);
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SELECTION_CHANGEDLINES_H
