//===- WordScan.h - The names in a file, without parsing it -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of a unit contains the names that it uses or defines, so it shows,
// without a parse, whether the unit can refer to a name. Tokens are sufficient
// for this. Braces and directives distinguish code of a header (bodies,
// initializers, macros) from declarations.
//
// Conditionals are not evaluated: all their branches count. If the structure of
// a file is not recognized, all its names count as used and as defined.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_UNITS_WORDSCAN_H
#define CUDAGRAPH_DRIVER_UNITS_WORDSCAN_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace cudagraph::driver {

/// Names are stored as hashes. After a collision, a unit may count as needed
/// although it is not.
using Word = uint64_t;
Word wordOf(llvm::StringRef Name);

/// A declaration without a body.
struct Declared {
  std::vector<Word> Names;    ///< the declared name, with the enclosing class
  std::vector<Word> Mentions; ///< all its names
};

struct FileWords {
  std::vector<Word> All;  ///< every name; sorted
  std::vector<Word> Does; ///< those in bodies, initializers, and macros; sorted
  std::vector<Word> Outer; ///< those outside of function bodies; sorted
  /// Those that may be defined: names before bodies, and names in macros;
  /// sorted.
  std::vector<Word> Defines;
  std::vector<Declared> Declarations;
  bool Pastes = false; ///< a macro joins tokens
  bool Marked =
      false; ///< a comment or an attribute is directed at this program
  bool Nolint = false; ///< holds the word NOLINT
};

/// Scans \p Contents.
FileWords scanWords(llvm::StringRef Contents);

/// Converts \p Words to bytes and back; returns false if \p Bytes are damaged.
std::string encodeWords(const FileWords &Words);
bool decodeWords(llvm::StringRef Bytes, FileWords &Words);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_UNITS_WORDSCAN_H
