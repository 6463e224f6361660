//===- Positions.h - Positions as the protocol counts them ------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In this project, positions are 1-based lines and bytes. In the protocol, they
// are 0-based lines and units of an encoding on which server and client agree.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_EDITOR_POSITIONS_H
#define CUDAGRAPH_DRIVER_EDITOR_POSITIONS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace cudagraph::driver {

enum class Encoding { Utf8, Utf16, Utf32 };

/// Returns the encoding that the protocol calls \p Name; UTF-16 if there is
/// none.
Encoding encodingNamed(llvm::StringRef Name);

/// Returns the number of units in \p Text.
unsigned unitsIn(llvm::StringRef Text, Encoding E);

/// Returns the number of bytes in the first \p Units of \p Line.
size_t bytesOf(llvm::StringRef Line, unsigned Units, Encoding E);

/// Returns the path of \p Uri; empty if it names no file.
std::string pathOf(llvm::StringRef Uri);
std::string uriOf(llvm::StringRef Path);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_EDITOR_POSITIONS_H
