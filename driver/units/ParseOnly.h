//===- ParseOnly.h - Clang made to read and nothing else --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ForeignArgs keeps options away from Clang. This is for what reaches it in
// other ways: the user's own options, the environment, and the sources, which
// can open devices and make Clang crash on purpose.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_PARSEONLY_H
#define CUDAGRAPH_DRIVER_UNITS_PARSEONLY_H

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

/// Takes from \p Invocation what would write, load or print something. Sources
/// take the place of precompiled headers that Clang found by itself: \p Args,
/// the command, does not name them.
void parseOnly(clang::CompilerInvocation &Invocation,
               const std::vector<std::string> &Args);

/// Makes \p PP ignore the pragmas that are there to test Clang.
void ignoreDebugPragmas(clang::Preprocessor &PP);

/// Returns why a file is not read, or no error. Devices and pipes may have no
/// end, or take what somebody else waits for.
std::error_code unreadable(const llvm::vfs::Status &Status);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_PARSEONLY_H
