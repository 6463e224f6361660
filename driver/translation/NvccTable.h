//===- NvccTable.h - The options of nvcc, gcc and Clang ---------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NvccArgs.def as data, and how each compiler reads one option of its own.
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

// The words of NvccArgs.def, which explains them.
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
/// An option of nvcc, recognised, with its value if that is in the same
/// argument.
struct NvccMatch {
  const NvccOption *Option = nullptr;
  std::optional<llvm::StringRef> Joined;
};
NvccMatch findNvccOption(llvm::StringRef Arg);

/// Returns how many of \p Args the row HOST at their front covers: the option
/// and its value; 0 if there is none.
size_t buildOptionLength(llvm::ArrayRef<std::string> Args);

/// Splits the value of -Xcompiler at commas outside double quotes and takes
/// away the quotes that build systems leave in: ''-fPIC''.
std::vector<std::string> splitHostOptions(llvm::StringRef Value);

/// Splits the value of -I and -D as nvcc does: at commas outside double quotes,
/// which stay.
std::vector<std::string> splitList(llvm::StringRef Value);

/// True if Clang's own option table knows \p Arg, so that its driver will not
/// refuse it. \p TakesNext says whether a value follows.
bool clangKnows(llvm::StringRef Arg, bool &TakesNext);

/// Returns the spelling of the newest GPU architecture that Clang knows and
/// that is not newer than \p Arch ("compute_90", "sm_90a", "lto_90", "90"), or
/// an empty string when \p Arch names none (all, native).
std::string clangArchitecture(llvm::StringRef Arch);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_TRANSLATION_NVCCTABLE_H
