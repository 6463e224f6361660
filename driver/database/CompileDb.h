//===- CompileDb.h - How each source is compiled ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers with commands that Clang understands: those of the database (DbFile),
// translated (NvccArgs); for a header that of a source that includes it
// (HeaderMap); for another file that the database lacks that of a neighbour.
// Where there is no database, default arguments serve, and the command says so.
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

/// One translation unit to analyse.
struct UnitCommand {
  /// Absolute, and so is Directory; but what `summarize` is given by `--` stays
  /// as it was spelled, in the directory ".": a remote build has other paths.
  std::string File;
  std::string Directory;
  Translation Command;
  std::string Origin; ///< where the command comes from, if not the database
  std::string Project = {}; ///< the folder of the project's own code, or empty
  /// 0, or which of Options::AlsoWith is added to the command, from 1.
  unsigned Variant = 0;
  /// The database was found, not named, and has nothing to do with the file:
  /// Origin matters only if the file does not parse.
  bool Unrelated = false;
};

class CompileDb {
public:
  /// Opens the database that \p Opts asks for, or finds one.
  static llvm::Expected<CompileDb> open(const Options &Opts);

  /// Returns the commands for \p Sources, or for all sources of the database if
  /// there are none, sorted by file. What was left out is a note of the first.
  llvm::Expected<std::vector<UnitCommand>>
  commands(llvm::ArrayRef<std::string> Sources) const;

  /// The database's file, or empty.
  const std::string &path() const { return Path; }

private:
  std::string Path;
  bool Found = false; ///< by a search: nobody named it
  std::vector<DbEntry> Entries;
  /// The places in Entries of the files of a name, without their directories.
  llvm::StringMap<std::vector<size_t>> ByName;
  std::optional<std::vector<std::string>> Fixed; ///< arguments after `--`
  /// Sources stay as the command line spells them.
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
