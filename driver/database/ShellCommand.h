//===- ShellCommand.h - Command lines and the shell -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compile database contains shell commands, and an entry may have several:
// `cd sub && nvcc ...`, `: && g++ ... && :`. These functions split them and
// quote arguments so that a shell reads them unchanged.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_DATABASE_SHELLCOMMAND_H
#define CUDAGRAPH_DRIVER_DATABASE_SHELLCOMMAND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

/// One command of a chain and its working directory.
struct ShellStep {
  std::string Directory;
  std::vector<std::string> Words;
};

/// Splits \p Words, which run in \p Directory, at `&&`, `||`, `;`, and `|`.
/// `cd` changes the directory of later steps; redirections, leading
/// `NAME=value`, and empty commands are omitted.
std::vector<ShellStep> splitShellCommand(llvm::ArrayRef<std::string> Words,
                                         llvm::StringRef Directory);

/// Returns \p Args quoted for a POSIX shell.
std::string quoteForShell(llvm::ArrayRef<std::string> Args);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_DATABASE_SHELLCOMMAND_H
