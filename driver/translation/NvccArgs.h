//===- NvccArgs.h - A build's command line in Clang's words -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the compile command that a build uses, of nvcc or of a host compiler,
// into one that Clang parses the same way. A pure function over a table
// (NvccArgs.def): it asks the machine nothing, so that its tests need none.
// What depends on the machine is Toolchain's.
//
// Rule of thumb: an option that Clang misreads in silence is worse than one it
// refuses. Arity matters most: a value left behind becomes an input file.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_TRANSLATION_NVCCARGS_H
#define CUDAGRAPH_DRIVER_TRANSLATION_NVCCARGS_H

#include "driver/support/ResponseFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace cudagraph::driver {

struct Translation {
  std::vector<std::string> Args;  ///< the command line, compiler first
  std::vector<std::string> Notes; ///< what was left out or changed, and why
  std::string Nvcc;               ///< nvcc as the build called it, or empty
  std::vector<size_t> Inputs;     ///< which of Args are files to compile
  /// Files of options that the translation needed; of a database, absolute.
  std::vector<std::string> OptionsFiles;
  /// Options that do not reach the parser; see ForeignArgs.h.
  std::vector<std::string> HeldBack;
};

/// Translates \p CommandLine, compiler first, possibly behind ccache and the
/// like. \p ReadFile serves --options-file and @file.
Translation translateCommand(llvm::ArrayRef<std::string> CommandLine,
                             FileReader ReadFile);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_TRANSLATION_NVCCARGS_H
