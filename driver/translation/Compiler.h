//===- Compiler.h - Which word of a command is the compiler -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of compilers by their names: which programs only start one
// (ccache, env), which are compilers at all, and what Clang's name for each is.
// Asks the machine nothing.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_TRANSLATION_COMPILER_H
#define CUDAGRAPH_DRIVER_TRANSLATION_COMPILER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace cudagraph::driver {

/// Returns \p Command without what precedes the compiler: `ccache`,
/// `env A=b`, `/usr/bin/time -v`, `cmake -E ... --`.
llvm::ArrayRef<std::string> skipLaunchers(llvm::ArrayRef<std::string> Command);

/// True if \p Program is called as a C, C++ or CUDA compiler is.
bool isCompiler(llvm::StringRef Program);

/// True for nvcc and for scripts around it.
bool isNvcc(llvm::StringRef Program);

/// A compiler in Clang's words.
struct ClangName {
  std::string Program; ///< clang, clang++ or what was given
  std::string Target;  ///< of a cross compiler: aarch64-linux-gnu
};
ClangName clangName(llvm::StringRef Compiler);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_TRANSLATION_COMPILER_H
