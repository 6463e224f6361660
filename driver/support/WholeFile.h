//===- WholeFile.h - Files that are there in full or not --------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_DRIVER_SUPPORT_WHOLEFILE_H
#define CUDAGRAPH_DRIVER_SUPPORT_WHOLEFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace cudagraph::driver {

/// Writes \p Bytes beside \p Path and moves them there: others see all of them
/// or what was there before. The error says why it could not be done, without
/// the path; a full disk is one.
llvm::Error writeWholeFile(const std::string &Path, llvm::StringRef Bytes);

} // namespace cudagraph::driver

#endif // CUDAGRAPH_DRIVER_SUPPORT_WHOLEFILE_H
