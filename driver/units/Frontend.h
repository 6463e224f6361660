//===- Frontend.h - Parses and summarizes one translation unit --*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs one Clang for each translation unit, on a separate thread with a large
// stack. Clang may crash or hang, so it runs in a worker process
// (WorkerPool.h). The result is plain data.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_FRONTEND_H
#define CUDAGRAPH_DRIVER_UNITS_FRONTEND_H

#include "analysis/ir/Summary.h"
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace cudagraph::driver {

/// A dependency of a unit: a file that it read and its contents; a name that
/// was not found, because Clang may prefer a file with that name once it
/// exists; or a name that was found but not read, as by `__has_include` or a
/// search for directories.
struct FileUse {
  static constexpr uint64_t Absent = 0;
  static constexpr uint64_t Present = 1;    ///< it exists; not read
  static constexpr uint64_t Unreadable = 2; ///< it exists and cannot be read
  std::string Path;                         ///< absolute
  uint64_t Hash = Absent;
};

/// True if \p EC, the error of an attempt to find a file, means that the file
/// does not exist.
bool saysAbsent(std::error_code EC);

/// Returns the hash of a file's contents, which is greater than the constants
/// of FileUse.
uint64_t contentHash(llvm::StringRef Contents);

/// The result of one run of Clang.
struct ParsedUnit {
  UnitSummary Summary; ///< also contains the failure, if any
  std::vector<FileUse>
      Files; ///< the source and the headers that were actually included; sorted
  bool Again = false; ///< it was parsed with shared headers, and without them
};

struct PreambleUse;

/// Runs Clang with \p Args, program first, in \p Directory. \p UnitId
/// distinguishes the unit from others with the same file. \p Project is the
/// folder of the project's own code, or empty; see ProjectCode.h. \p Known
/// resolves names. \p Shared contains the unit's leading includes, if they were
/// parsed before.
ParsedUnit
parseUnit(const std::vector<std::string> &Args, const std::string &Directory,
          llvm::StringRef UnitId, const std::string &Project,
          const catalogue::Catalogue &Known = catalogue::Catalogue::builtin(),
          const PreambleUse *Shared = nullptr);

/// Converts \p Unit to bytes and back; the error describes the defect in \p
/// Bytes.
std::string encodeUnit(const ParsedUnit &Unit);
/// \p Checked receives the functions of other units.
llvm::Expected<ParsedUnit> decodeUnit(llvm::StringRef Bytes,
                                      CheckedFunctions *Checked = nullptr);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_FRONTEND_H
