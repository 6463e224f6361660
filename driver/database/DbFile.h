//===- DbFile.h - The file compile_commands.json ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the database, reads it, and classifies each entry. Builds also record
// commands that link, assemble, or compile Fortran, and some extractors repeat
// the command of a source for each header. Commands are not translated here.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_DATABASE_DBFILE_H
#define CUDAGRAPH_DRIVER_DATABASE_DBFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::driver {

inline constexpr char DatabaseName[] = "compile_commands.json";

enum class EntryKind {
  Source, ///< compiles File
  Header, ///< File is a header; the command compiles a source that includes it
  Other,  ///< does not compile C, C++, or CUDA
};

/// One entry of the database.
struct DbEntry {
  std::string File;      ///< absolute
  std::string Directory; ///< absolute: the compiler's working directory
  std::vector<std::string> Args;
  EntryKind Kind = EntryKind::Other;
};

/// Returns the database file in \p Directory, if it exists.
std::optional<std::string> databaseIn(llvm::StringRef Directory);

/// Like clang-tidy, searches \p Start and its parents; also searches build
/// directories, up to the root of the repository.
std::optional<std::string> findDatabase(llvm::StringRef Start);

/// Returns the reason why LLVM's reader cannot read \p Text, or an empty
/// string.
std::string checkDatabase(llvm::StringRef Text);

/// Reads the database in the file \p Path and keeps its order.
llvm::Expected<std::vector<DbEntry>> loadDatabase(const std::string &Path);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_DATABASE_DBFILE_H
