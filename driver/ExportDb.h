//===- ExportDb.h - Exports the compile database for Clang ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang-tidy, clangd, and editors read compile_commands.json, but do not
// understand nvcc's options. export-compile-db writes a database that they
// understand, with the commands that this program runs.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_EXPORTDB_H
#define CUDAGRAPH_DRIVER_EXPORTDB_H

#include "driver/options/Options.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
}

namespace cudagraph::driver {

/// Writes the database that \p Opts selects to its output path. Notices go to
/// \p Log. \p Program is the path of this executable.
llvm::Error exportDatabase(const Options &Opts, const std::string &Program,
                           llvm::raw_ostream &Log);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_EXPORTDB_H
