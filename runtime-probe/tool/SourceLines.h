//===- SourceLines.h - The addresses of source lines ------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds code as a debugger does for a breakpoint at FILE:LINE, in the line
// tables of the program and of the libraries that it names.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_SOURCELINES_H
#define CUDAGRAPH_PROBE_SOURCELINES_H

#include "confirm/Model.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace cudagraph::probe {

/// Writes to \p File, for the injected library, where the code of each of
/// \p Lines begins in \p Executable and its libraries.
llvm::Error writeSourceLines(llvm::ArrayRef<confirm::Position> Lines,
                             const std::string &Executable,
                             const std::string &File);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_SOURCELINES_H
