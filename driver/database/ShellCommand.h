//===- ShellCommand.h - Command lines and the shell -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compile database holds what a build hands to the shell, and that may be
// more than one command: `cd sub && nvcc ...`, `: && g++ ... && :`. Taken apart
// here; and the other way about, arguments are put into words that a shell
// takes back as they were.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_DATABASE_SHELLCOMMAND_H
#define CUDAGRAPH_DRIVER_DATABASE_SHELLCOMMAND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

/// One command of a chain, and where it runs.
struct ShellStep {
  std::string Directory;
  std::vector<std::string> Words;
};

/// Takes \p Words, which run in \p Directory, apart at `&&`, `||`, `;` and `|`.
/// `cd` moves the steps after it; redirections, leading `NAME=value` and empty
/// commands are left out.
std::vector<ShellStep> splitShellCommand(llvm::ArrayRef<std::string> Words,
                                         llvm::StringRef Directory);

/// Returns \p Args as a POSIX shell takes them.
std::string quoteForShell(llvm::ArrayRef<std::string> Args);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_DATABASE_SHELLCOMMAND_H
