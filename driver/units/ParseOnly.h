//===- ParseOnly.h - Restricts Clang to parsing -----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ForeignArgs filters options. This file handles the other inputs that control
// Clang: the user's own options, the environment, and the sources, which can
// open devices and make Clang crash on purpose.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_PARSEONLY_H
#define CUDAGRAPH_DRIVER_UNITS_PARSEONLY_H

#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <system_error>
#include <vector>

namespace clang {
class CompilerInvocation;
class Preprocessor;
} // namespace clang
namespace llvm::vfs {
class Status;
}

namespace cudagraph::driver {

/// Removes everything from \p Invocation that would write, load, or print
/// something. Precompiled headers that Clang itself found, because the command
/// \p Args does not name them, are replaced with their sources.
void parseOnly(clang::CompilerInvocation &Invocation,
               const std::vector<std::string> &Args);

/// True for arguments with which Clang reads results of other compilations.
bool readsCompiled(llvm::ArrayRef<std::string> Args);

/// Makes \p PP ignore the pragmas that exist to test Clang.
void ignoreDebugPragmas(clang::Preprocessor &PP);

/// Returns the reason why a file is not read, or no error. Devices and pipes
/// may have no end, and reading them may take input from another reader.
std::error_code unreadable(const llvm::vfs::Status &Status);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_PARSEONLY_H
