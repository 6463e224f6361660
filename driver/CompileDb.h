//===- CompileDb.h - How each source is compiled ----------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the compile database and answers with commands that Clang understands:
// translated (NvccArgs), or transferred from a neighbour for a file that the
// database lacks. Where there is no database, default arguments serve, and the
// command says so.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_COMPILEDB_H
#define CUDAGRAPH_DRIVER_COMPILEDB_H

#include "NvccArgs.h"
#include "Options.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace cudagraph::driver {

/// One translation unit to analyse.
struct UnitCommand {
  std::string File; ///< absolute
  std::string Directory;
  Translation Command;
  std::string Origin; ///< where the command comes from, if not the database
};

class CompileDb {
public:
  /// Opens the database that \p Opts asks for, or finds one.
  static llvm::Expected<CompileDb> open(const Options &Opts);

  /// Returns the commands for \p Sources, or for all files of the database if
  /// there are none, sorted by file.
  llvm::Expected<std::vector<UnitCommand>>
  commands(llvm::ArrayRef<std::string> Sources) const;

  /// The database's file, or empty.
  const std::string &path() const { return Path; }

private:
  std::string Path;
  std::unique_ptr<clang::tooling::CompilationDatabase> Base;
  bool Fixed = false; ///< arguments after `--`
};

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_COMPILEDB_H
