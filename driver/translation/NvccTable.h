//===- NvccTable.h - The options of nvcc, GCC, and Clang --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NvccArgs.def as data and how each compiler parses a single option.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_TRANSLATION_NVCCTABLE_H
#define CUDAGRAPH_DRIVER_TRANSLATION_NVCCTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace cudagraph::driver {

// The terms of NvccArgs.def, which defines them.
enum class Arity { None, Bool, Value, Letter };
enum class HostArity { Exact, Prefix, Next, Letter };
enum class Action {
  Drop,
  Rename,
  RenameEach,
  SeparateEach,
  Define,
  OptionsFile,
  HostOptions,
  Language,
  DefaultStream,
  Architecture,
};

/// A row NVCC.
struct NvccOption {
  llvm::StringRef Long, Short;
  Arity Takes;
  Action Does;
  const char *Clang;
};
/// A recognized option of nvcc, with its value if that is in the same argument.
struct NvccMatch {
  const NvccOption *Option = nullptr;
  std::optional<llvm::StringRef> Joined;
};
NvccMatch findNvccOption(llvm::StringRef Arg);

/// Returns the number of arguments at the front of \p Args that a HOST row
/// covers: the option and its value. Returns 0 if no row matches.
size_t buildOptionLength(llvm::ArrayRef<std::string> Args);

/// Splits the value of -Xcompiler at commas outside double quotes and removes
/// the quotes that build systems leave: ''-fPIC''.
std::vector<std::string> splitHostOptions(llvm::StringRef Value);

/// Splits the value of -I and -D as nvcc does: at commas outside double quotes,
/// which are kept.
std::vector<std::string> splitList(llvm::StringRef Value);

/// True if Clang's option table contains \p Arg, so that its driver accepts it.
/// \p TakesNext is set to true if a value follows.
bool clangKnows(llvm::StringRef Arg, bool &TakesNext);

/// Returns the spelling of the newest GPU architecture that Clang supports and
/// that is not newer than \p Arch ("compute_90", "sm_90a", "lto_90", "90"), or
/// an empty string if \p Arch names none (all, native).
std::string clangArchitecture(llvm::StringRef Arch);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_TRANSLATION_NVCCTABLE_H
