//===- InputBuffer.h - User files as buffers --------------------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// support/InputFile.h with LLVM types, and the same limits for YAML: LLVM's
// parser is recursive, so deeply nested input is rejected first.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SUPPORT_INPUTBUFFER_H
#define CUDAGRAPH_DRIVER_SUPPORT_INPUTBUFFER_H

#include "support/InputFile.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace cudagraph::driver {

/// Reads the regular file \p Path. The error is "cannot read PATH: why", or has
/// \p What before the path: "the baseline ".
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readBuffer(const std::string &Path, support::Bound Most,
           const llvm::Twine &What = "");

/// Like readBuffer(), but returns null if the file is missing or unreadable.
std::unique_ptr<llvm::MemoryBuffer> tryReadBuffer(llvm::StringRef Path);

/// Returns an error if the YAML in \p Text is too long or too deeply nested for
/// a settings file, or nothing.
std::string checkYaml(llvm::StringRef Text);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SUPPORT_INPUTBUFFER_H
