//===- Preamble.h - Leading includes, parsed once ---------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The headers that a source includes before anything else have the same meaning
// in every unit with the same arguments. Clang parses them once, without the
// bodies that no unit needs, into a precompiled header. Data that a unit takes
// from the text of its headers, not from the AST, is stored next to it: NOLINT
// lines, code under a false #if, and dependencies.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_PREAMBLE_H
#define CUDAGRAPH_DRIVER_UNITS_PREAMBLE_H

#include "Frontend.h"
#include "SharedContents.h"
#include "SkippedCode.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cudagraph::driver {

/// A source that consists of the shared includes.
struct PreambleSource {
  std::vector<std::string> Args; ///< they compile Main
  std::string Directory, Project;
  std::string Main; ///< no file has this name
  std::string Text;
};

/// Information about a precompiled header that is known without reading it.
struct Preamble {
  bool Usable = false;
  bool Repeatable = false; ///< including its headers again has no effect
  std::string Why; ///< the reason why it is not usable, and never will be
  std::vector<FileUse> Files; ///< everything that was read or searched
  /// Names of files, in the form of the precompiled header and as Clang found
  /// them, if these differ.
  std::vector<std::pair<std::string, std::string>> Names;
  std::vector<std::string> SavedMacros; ///< see MacroStack
  std::vector<NolintLines> Nolint;
  std::vector<SkippedFile> Skipped;
  std::vector<StoredContext> Contents;
  bool Generators = false;     ///< see NeedlessBodies
  uint64_t Size = 0, Hash = 0; ///< of the precompiled header
  uint64_t Number = 0;         ///< that of its file in the cache
};

/// A precompiled header for one unit.
struct PreambleUse {
  const Preamble &Facts;
  const PreambleSource &Source;
  llvm::StringRef Bytes; ///< the precompiled header
  size_t Skip = 0;       ///< where the unit's own part begins
};

/// The name under which Clang finds the precompiled header of \p Source.
std::string precompiledName(const PreambleSource &Source);

/// Parses \p Source and writes the precompiled header to \p Path. Returns
/// nothing if the header may be different next time.
std::optional<Preamble> buildPreamble(const PreambleSource &Source,
                                      const catalogue::Catalogue &Known,
                                      const std::string &Path);

/// True if \p File, which is positioned at its beginning, contains the
/// precompiled header of \p P. The file is read in parts, so at most one
/// part is in memory.
bool isPrecompiled(llvm::sys::fs::file_t File, const Preamble &P);

/// Converts \p P to bytes and back; returns false if \p Bytes are damaged.
std::string encodePreamble(const Preamble &P);
bool decodePreamble(llvm::StringRef Bytes, Preamble &P);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_PREAMBLE_H
