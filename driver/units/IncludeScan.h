//===- IncludeScan.h - The includes of a unit -------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs Clang's preprocessor over only the directives of a unit and its headers,
// as Clang's dependency scanner does. A scan takes a small fraction of the time
// of a parse.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_INCLUDESCAN_H
#define CUDAGRAPH_DRIVER_UNITS_INCLUDESCAN_H

#include "Frontend.h"
#include "llvm/Support/Error.h"

namespace cudagraph::driver {

struct UnitScan {
  /// True if all includes were found, and no header belongs to CUDA, a CUDA
  /// library, PyTorch, another runtime that calls operators, or this project.
  bool Plain = false;
  std::vector<FileUse> Files; ///< as in ParsedUnit
  /// The source, first, and the headers that are not foreign system headers:
  /// the files whose code is analyzed. The paths are absolute, and each file
  /// has the hash of its contents.
  std::vector<FileUse> Sources;
  std::vector<std::string> Macros; ///< "NAME=VALUE" from the command line
};

/// Scans the unit that \p Args compiles in \p Directory. \p Project is the
/// folder of the project's own code, or empty.
UnitScan scanUnit(const std::vector<std::string> &Args,
                  const std::string &Directory, llvm::StringRef Project);

/// Converts \p Scan to bytes and back; returns false if \p Bytes are damaged.
std::string encodeScan(const UnitScan &Scan);
bool decodeScan(llvm::StringRef Bytes, UnitScan &Scan);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_INCLUDESCAN_H
