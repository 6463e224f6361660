//===- Compiler.h - Finds the compiler in a command -------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognizes compilers by name: programs that only launch a compiler (ccache,
// env), programs that are compilers, and Clang's name for each. This file does
// not access the machine.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_TRANSLATION_COMPILER_H
#define CUDAGRAPH_DRIVER_TRANSLATION_COMPILER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace cudagraph::driver {

/// Returns \p Command without the launcher before the compiler: `ccache`, `env
/// A=b`, `/usr/bin/time -v`, `cmake -E ... --`.
llvm::ArrayRef<std::string> skipLaunchers(llvm::ArrayRef<std::string> Command);

/// True if \p Program has the name of a C, C++, or CUDA compiler.
bool isCompiler(llvm::StringRef Program);

/// True for nvcc and for scripts around it.
bool isNvcc(llvm::StringRef Program);

/// A compiler in Clang's terms.
struct ClangName {
  std::string Program; ///< clang, clang++, or the original name
  std::string Target;  ///< of a cross compiler: aarch64-linux-gnu
};
ClangName clangName(llvm::StringRef Compiler);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_TRANSLATION_COMPILER_H
