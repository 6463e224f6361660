//===- CompileDb.h - The compile command of each source ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Returns commands that Clang understands. Commands of the database (DbFile)
// are translated (NvccArgs). A header has the command of a source that includes
// it (HeaderMap), and any other file that is not in the database has the
// command of a similar file. Without a database, the arguments are the default
// ones, and a notice reports this.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_DATABASE_COMPILEDB_H
#define CUDAGRAPH_DRIVER_DATABASE_COMPILEDB_H

#include "DbFile.h"
#include "driver/options/Options.h"
#include "driver/translation/NvccArgs.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::driver {

/// One translation unit to analyze.
struct UnitCommand {
  /// Absolute, as is Directory. For `summarize` with arguments after `--`, File
  /// keeps its spelling, and Directory is ".", because a remote build has
  /// different paths.
  std::string File;
  std::string Directory;
  Translation Command;
  std::string Origin; ///< the origin of the command, if not the database
  std::string Project =
      {}; ///< the root folder of the project's own code, or empty
  /// 0, or the 1-based index of the Options::AlsoWith that is added to the
  /// command.
  unsigned Variant = 0;
  /// The database was found by a search and does not contain the file. Origin
  /// is then reported only if the file does not parse.
  bool Unrelated = false;
};

class CompileDb {
public:
  /// Opens the database that \p Opts names, or searches for one.
  static llvm::Expected<CompileDb> open(const Options &Opts);

  /// Returns the commands for \p Sources, or for all sources of the database if
  /// there are none, sorted by file. A note on the first command lists the
  /// ignored entries.
  llvm::Expected<std::vector<UnitCommand>>
  commands(llvm::ArrayRef<std::string> Sources) const;

  /// The database's file, or empty.
  const std::string &path() const { return Path; }

private:
  std::string Path;
  bool Found = false; ///< found by a search
  std::vector<DbEntry> Entries;
  /// The indices in Entries for each file name, without the directory.
  llvm::StringMap<std::vector<size_t>> ByName;
  std::optional<std::vector<std::string>> Fixed; ///< arguments after `--`
  /// Sources keep their spelling from the command line.
  bool AsSpelled = false;

  struct HeaderIndex;
  std::vector<UnitCommand> everything() const;
  llvm::Expected<std::vector<UnitCommand>>
  commandsFor(const std::string &File,
              std::unique_ptr<HeaderIndex> &Index) const;
  std::optional<UnitCommand>
  commandOfUser(const std::string &Header,
                std::unique_ptr<HeaderIndex> &Index) const;
  std::vector<UnitCommand> inferred(const std::string &File) const;
  std::vector<const DbEntry *> entriesOf(llvm::StringRef File,
                                         EntryKind Kind) const;
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_DATABASE_COMPILEDB_H
