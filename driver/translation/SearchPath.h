//===- SearchPath.h - Directories in a command ------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The directories in which a command searches for headers. Build systems spell
// the same directory differently for each target, such as `-I/a/x/../common`,
// and run the compiler in different directories. With these functions, commands
// that read the same files become equal.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_TRANSLATION_SEARCHPATH_H
#define CUDAGRAPH_DRIVER_TRANSLATION_SEARCHPATH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

/// Returns the directories of -I, -isystem, -iquote, and -idirafter in \p Args,
/// in their order, as absolute paths. Relative directories are in \p Directory.
std::vector<std::string> searchPath(llvm::ArrayRef<std::string> Args,
                                    const std::string &Directory);

/// Removes the dots from the absolute directories of searchPath() in \p Args,
/// unless the result is a different directory because of a link.
void simplifySearchPath(std::vector<std::string> &Args);

/// Returns false if \p Args, a Clang command that runs in \p Directory,
/// certainly selects the same files in every other directory for which the
/// result is also false. The result also depends on the environment. The first
/// element of \p Args is the program.
bool dependsOnDirectory(llvm::ArrayRef<std::string> Args,
                        const std::string &Directory);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_TRANSLATION_SEARCHPATH_H
