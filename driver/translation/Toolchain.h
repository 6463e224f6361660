//===- Toolchain.h - The CUDA toolkit and Clang's own headers ---*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Completes a compile command with facts about the machine: the location and
// version of CUDA and the location of Clang's builtin headers. This file and
// CudaToolkit are the only ones in the driver that search for files outside the
// compile database and the command line.
//
// Without a toolkit, the bundled mock headers replace it: they contain enough
// of the API to analyze code that calls it, and the tool reports their use.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_TRANSLATION_TOOLCHAIN_H
#define CUDAGRAPH_DRIVER_TRANSLATION_TOOLCHAIN_H

#include "CudaToolkit.h"
#include "NvccArgs.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

class Toolchain {
public:
  /// Finds all of these. \p CudaPath is --cuda-path or empty; \p Program is the
  /// path of this executable; \p MockVersion is --cuda-version or 0.
  static llvm::Expected<Toolchain> detect(const std::string &CudaPath,
                                          const std::string &Program,
                                          bool DefineNvcc, int MockVersion = 0);

  /// A command that Clang can run here.
  struct Completed {
    std::vector<std::string> Args;
    std::string Toolkit; ///< describes the toolkit that it uses; empty if none
    int Version = 0;     ///< of that toolkit, as CUDA_VERSION; 0: not known
  };

  /// The program that runs the command: this one, or other tools of Clang,
  /// which find their own builtin headers and control their own output.
  enum class Runner { Us, Others };

  /// Completes a translated command for \p File: CUDA mode, include paths,
  /// resource directory, no warnings, and a Clang that a shell can find.
  llvm::Expected<Completed> complete(const Translation &T, llvm::StringRef File,
                                     Runner By = Runner::Us) const;

private:
  CudaToolkit mockToolkit() const;

  CudaToolkit Cuda; ///< serves the commands that do not name one
  bool DefineNvcc = false;
  int MockVersion = 0; ///< of the mock headers; 0: their own
  std::string Share;   ///< bundled headers: mock CUDA, nvcc's prelude
  std::string ResourceDir;
  std::string ClangDir;  ///< the directory of clang++, or empty
  std::string OpenMPDir; ///< the directory of omp.h if Clang has none, or empty
  bool HasLibrary = true; ///< Clang finds a C++ library
};

/// True if \p Command names the directory of the bundled mock headers.
bool usesMockToolkit(llvm::ArrayRef<std::string> Command);

/// Returns the toolchain file that lets CMake configure a CUDA project without
/// nvcc, as installed with \p Program, or an error if there is none.
llvm::Expected<std::string> cmakeToolchainFile(llvm::StringRef Program);

/// Returns the directory of Clang's builtin headers for a program in
/// \p ProgramDir, or an empty string.
std::string findResourceDir(llvm::StringRef ProgramDir);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_TRANSLATION_TOOLCHAIN_H
