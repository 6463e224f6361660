//===- NvccArgs.h - Translates a build's command to Clang -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates the compile command of a build, for nvcc or a host compiler, to
// one that Clang parses in the same way. A pure function over a table
// (NvccArgs.def): neither it nor its tests access the machine. Toolchain
// handles everything that depends on the machine.
//
// Rule of thumb: an option that Clang silently misinterprets is worse than one
// that it rejects. Arity matters most: a value left behind becomes an input
// file.
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
  std::vector<std::string> Args; ///< the command line, compiler first
  std::vector<std::string>
      Notes; ///< the options that were removed or changed, and the reasons
  std::string Nvcc; ///< the path of nvcc in the build's command, or empty
  std::vector<size_t> Inputs; ///< the files among Args that are to be compiled
  /// Option files that the translation needed; absolute for a database.
  std::vector<std::string> OptionsFiles;
  /// Options that do not reach the parser; see ForeignArgs.h.
  std::vector<std::string> HeldBack;
};

/// Translates \p CommandLine, compiler first, possibly after ccache or similar.
/// \p ReadFile reads --options-file and @file.
Translation translateCommand(llvm::ArrayRef<std::string> CommandLine,
                             FileReader ReadFile);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_TRANSLATION_NVCCARGS_H
