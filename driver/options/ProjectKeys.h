//===- ProjectKeys.h - What .cudagraph-tidy.yaml may hold -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each key stands for an option, and counts for the commands that have it.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_OPTIONS_PROJECTKEYS_H
#define CUDAGRAPH_DRIVER_OPTIONS_PROJECTKEYS_H

#include "Options.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

/// What the value of a key is.
enum class KeyKind {
  Text,  ///< one value
  Path,  ///< one path, relative to the file
  List,  ///< values that add up
  Paths, ///< paths that add up
  Flag,  ///< an option without a value, given or not
  Out,   ///< "sarif:FILE"
};

/// Which commands a key has a meaning for.
enum KeyUse : unsigned {
  Compiles = 1, ///< reads sources
  Finds = 2,    ///< has findings
  Analyses = 4, ///< links summaries
  Lists = 8,    ///< list-checks
  Explains = 16,
  Varies = 32, ///< analyses what it reads
};

/// A key and the option of the command line that it stands for.
struct ProjectKey {
  llvm::StringRef Name, Option;
  KeyKind Is;
  unsigned For; ///< bit set of KeyUse
};

/// The key that asks for the files above, too; it stands for no option.
inline constexpr llvm::StringRef InheritKey = "InheritParentConfig";

/// Returns the key \p Name, or nullptr.
const ProjectKey *keyNamed(llvm::StringRef Name);
/// Returns the names of all keys, sorted.
std::vector<llvm::StringRef> keyNames();
/// Says which key \p Name, which is none, may be meant to be.
std::string suggestKey(llvm::StringRef Name);
/// Returns the bit set of KeyUse that \p Cmd has.
unsigned usesOf(Command Cmd);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OPTIONS_PROJECTKEYS_H
