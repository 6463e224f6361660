//===- ProjectKeys.h - The keys of .cudagraph-tidy.yaml ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each key stands for an option and applies to the commands that have the
// option.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_OPTIONS_PROJECTKEYS_H
#define CUDAGRAPH_DRIVER_OPTIONS_PROJECTKEYS_H

#include "Options.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

/// The type of the value of a key.
enum class KeyKind {
  Text,  ///< one value
  Path,  ///< one path, relative to the file
  List,  ///< values that accumulate
  Paths, ///< paths that accumulate
  Flag,  ///< an option without a value, set or not
  Out,   ///< "sarif:FILE"
};

/// The commands to which a key applies.
enum KeyUse : unsigned {
  Compiles = 1, ///< reads sources
  Finds = 2,    ///< has findings
  Analyses = 4, ///< links summaries
  Lists = 8,    ///< list-checks
  Explains = 16,
  Varies = 32, ///< analyzes sources
};

/// A key and its command-line option.
struct ProjectKey {
  llvm::StringRef Name, Option;
  KeyKind Is;
  unsigned For; ///< bit set of KeyUse
};

/// The key that includes the parent files; it has no option.
inline constexpr llvm::StringRef InheritKey = "InheritParentConfig";

/// Returns the key \p Name, or nullptr.
const ProjectKey *keyNamed(llvm::StringRef Name);
/// Returns the names of all keys, sorted.
std::vector<llvm::StringRef> keyNames();
/// Returns the key that the unknown name \p Name resembles.
std::string suggestKey(llvm::StringRef Name);
/// Returns the bit set of KeyUse that \p Cmd has.
unsigned usesOf(Command Cmd);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_OPTIONS_PROJECTKEYS_H
