//===- CudaToolkit.h - Finds CUDA toolkits ----------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds CUDA toolkits on this machine and their versions.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_TRANSLATION_CUDATOOLKIT_H
#define CUDAGRAPH_DRIVER_TRANSLATION_CUDATOOLKIT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::driver {

/// A CUDA toolkit, or the mock headers.
struct CudaToolkit {
  std::string Root;    ///< the directory of the toolkit, or of the mock headers
  std::string Include; ///< the directory of cuda_runtime.h
  int Version = 0;     ///< CUDA_VERSION: 13000
  bool Mock = false;
  bool Chosen = false; ///< from --cuda-path, which takes precedence

  /// The version of the mock headers unless a different one is requested.
  static constexpr int MockVersion = 13000;

  /// Returns "using CUDA 13.0 at /usr/local/cuda".
  std::string describe() const;
};

/// True if the directory \p Include contains the mock headers.
bool isMockInclude(llvm::StringRef Include);

/// Returns the toolkit whose directory is \p Root.
std::optional<CudaToolkit> toolkitAt(llvm::StringRef Root);

/// Returns the toolkit of \p Nvcc, if that is a path: nvcc is in the toolkit's
/// bin directory, after links are resolved.
std::optional<CudaToolkit> toolkitOfNvcc(llvm::StringRef Nvcc);

/// Returns the toolkit that the environment names, or one in a usual location.
std::optional<CudaToolkit> findToolkit();

/// Returns the entries of \p Parent that begin with \p Prefix, the newest
/// version first.
std::vector<std::string> versionedPaths(llvm::StringRef Parent,
                                        llvm::StringRef Prefix);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_TRANSLATION_CUDATOOLKIT_H
