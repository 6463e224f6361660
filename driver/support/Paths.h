//===- Paths.h - Names of files ---------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Path functions. Only realPath() accesses the disk.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SUPPORT_PATHS_H
#define CUDAGRAPH_DRIVER_SUPPORT_PATHS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace cudagraph::driver {

/// Returns the absolute form of \p Path, which is relative to \p Directory or
/// else to the working directory, without dots.
std::string absolutePath(llvm::StringRef Path, llvm::StringRef Directory = "");

/// Returns the path A/B/C.
std::string joinPath(llvm::StringRef A, const llvm::Twine &B,
                     const llvm::Twine &C = "");

/// Returns \p Path with links resolved, or unchanged if there is no such file.
std::string realPath(llvm::StringRef Path);

/// True for the extensions of C, C++, and CUDA sources.
bool isSourceName(llvm::StringRef File);

/// True for the extensions of headers and of other included files.
bool isHeaderName(llvm::StringRef File);

/// True for the extensions that CUDA compilers treat as CUDA.
bool hasCudaExtension(llvm::StringRef File);

/// The value of Clang's -x for a source with this name: c, c++, or cuda.
llvm::StringRef languageOfName(llvm::StringRef File);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SUPPORT_PATHS_H
