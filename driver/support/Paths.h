//===- Paths.h - Names of files ---------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes paths out of paths, and says what a name tells of its file. Only
// realPath() looks at the disk.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SUPPORT_PATHS_H
#define CUDAGRAPH_DRIVER_SUPPORT_PATHS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace cudagraph::driver {

/// Returns \p Path, seen from \p Directory or else the working directory,
/// without dots.
std::string absolutePath(llvm::StringRef Path, llvm::StringRef Directory = "");

/// Returns the path A/B/C.
std::string joinPath(llvm::StringRef A, const llvm::Twine &B,
                     const llvm::Twine &C = "");

/// Returns \p Path without links, or as it is if there is no such file.
std::string realPath(llvm::StringRef Path);

/// True for the extensions of C, C++ and CUDA sources.
bool isSourceName(llvm::StringRef File);

/// True for the extensions of headers, and of files that are included.
bool isHeaderName(llvm::StringRef File);

/// True for the extensions that CUDA compilers take for CUDA.
bool hasCudaExtension(llvm::StringRef File);

/// The value of Clang's -x for a source of this name: c, c++ or cuda.
llvm::StringRef languageOfName(llvm::StringRef File);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SUPPORT_PATHS_H
