//===- InputFile.h - User files ---------------------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only way to read a file that a user, a build, or a configuration names. A
// device, a named pipe, or an endless file must not hang the program or exhaust
// its memory, so only regular files up to a maximum size are read. This file
// does not use LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_SUPPORT_INPUTFILE_H
#define CUDAGRAPH_SUPPORT_INPUTFILE_H

#include <cstdint>
#include <string>

namespace cudagraph::support {

/// The maximum size of each kind of file, in bytes.
enum class Bound : uint64_t {
  Settings = 1u << 20, ///< .clang-tidy, .cudagraph-tidy.yaml, an option's value
  Words = 64u << 20,   ///< response files, catalogues, symbol tables
  Data = 512u << 20,   ///< databases, baselines, reports, sources
  Trace = 4ull << 30,  ///< the output of an observed program
};

/// The reason why a file was not read.
struct InputError {
  int Errno = 0; ///< 0: the system can read it, but this program does not
  std::string Why, Remedy; ///< without the path; the remedy may be empty

  explicit operator bool() const { return !Why.empty(); }
  std::string message() const {
    return Remedy.empty() ? Why : Why + "; " + Remedy;
  }
};

/// Opens the regular file \p Path, which has at most \p Most bytes, and stores
/// its descriptor in \p Descriptor. Never blocks.
InputError openInput(const std::string &Path, Bound Most, int &Descriptor);

/// Reads all of \p Path into \p Text.
InputError readInput(const std::string &Path, Bound Most, std::string &Text);

/// Reads standard input, of any type, into \p Text.
InputError readStandardInput(Bound Most, std::string &Text);

/// Returns the reason why a buffer of \p Size bytes is not read, if any.
InputError checkSize(uint64_t Size, Bound Most);

} // namespace cudagraph::support

#endif // CUDAGRAPH_SUPPORT_INPUTFILE_H
