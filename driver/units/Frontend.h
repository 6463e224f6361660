//===- Frontend.h - Parses and summarises one translation unit --*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One Clang per translation unit, on a thread of its own with a large stack. It
// may crash or hang, so it is run in a worker process (WorkerPool.h). What
// leaves here is plain data.
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

/// What a unit depends on: a file that it read and what that held; a name that
/// it looked up in vain, because Clang may take a file of that name instead of
/// another one once there is one; or a name that it found and did not read, as
/// `__has_include` and the search for directories do.
struct FileUse {
  static constexpr uint64_t Absent = 0;
  static constexpr uint64_t Present = 1;    ///< it exists; not read
  static constexpr uint64_t Unreadable = 2; ///< it exists and cannot be read
  std::string Path;                         ///< absolute
  uint64_t Hash = Absent;
};

/// True if \p EC, the error of an attempt to find a file, says that there is
/// none.
bool saysAbsent(std::error_code EC);

/// Returns the hash of a file's contents, greater than FileUse's constants.
uint64_t contentHash(llvm::StringRef Contents);

/// What one run of Clang yields.
struct ParsedUnit {
  UnitSummary Summary;        ///< says what went wrong, too
  std::vector<FileUse> Files; ///< source, headers as really included; sorted
};

/// Runs Clang with \p Args, program first, in \p Directory. \p UnitId tells the
/// unit from others that are made from the same file. \p Project is the folder
/// of the project's own code, or empty; see ProjectCode.h. \p Known says what
/// names stand for.
ParsedUnit
parseUnit(const std::vector<std::string> &Args, const std::string &Directory,
          llvm::StringRef UnitId, const std::string &Project,
          const catalogue::Catalogue &Known = catalogue::Catalogue::builtin());

/// \p Unit as bytes, and back; the error says what is wrong with \p Bytes.
std::string encodeUnit(const ParsedUnit &Unit);
llvm::Expected<ParsedUnit> decodeUnit(llvm::StringRef Bytes);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_FRONTEND_H
