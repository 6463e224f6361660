//===- Toolkit.h - Finds the injected library and libcupti ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_TOOLKIT_H
#define CUDAGRAPH_PROBE_TOOLKIT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace cudagraph::probe {

/// The library installed with this executable, \p Program; it may be missing.
std::string injectionLibrary(llvm::StringRef Program);

/// The folder whose sitecustomize.py starts the companion in Python programs;
/// it may be missing.
std::string companionDirectory(llvm::StringRef Program);

/// Returns libcupti from the toolkit in \p CudaPath or, if that is empty, from
/// the toolkit in CUDA_HOME, CUDA_PATH, the folder of the nvcc on PATH, or
/// /usr/local/cuda. Empty if there is none.
std::string findCupti(llvm::StringRef CudaPath);

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_TOOLKIT_H
