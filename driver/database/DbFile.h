//===- DbFile.h - The file compile_commands.json ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the database, reads it, and says of each entry what it is: builds also
// write down links, assembly, Fortran and whatever their rules run, and some
// extractors repeat a source's command for each header. Commands are still in
// the build's own words here.
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
  Header, ///< File is a header; the command is that of a source with it
  Other,  ///< compiles no C, C++ or CUDA
};

/// One entry of the database.
struct DbEntry {
  std::string File;      ///< absolute
  std::string Directory; ///< absolute, where the compiler runs
  std::vector<std::string> Args;
  EntryKind Kind = EntryKind::Other;
};

/// Returns the database's file in \p Directory, if there is one.
std::optional<std::string> databaseIn(llvm::StringRef Directory);

/// As clang-tidy, climbs from \p Start; build directories are tried too, as far
/// up as the repository's root.
std::optional<std::string> findDatabase(llvm::StringRef Start);

/// Says why \p Text is no database that LLVM's reader can take, or nothing.
std::string checkDatabase(llvm::StringRef Text);

/// Reads the database in the file \p Path, in its order.
llvm::Expected<std::vector<DbEntry>> loadDatabase(const std::string &Path);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_DATABASE_DBFILE_H
