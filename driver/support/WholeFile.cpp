//===- WholeFile.cpp - Files that are there in full or not ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WholeFile.h"
#include "support/OutputFile.h"

using namespace llvm;

namespace cudagraph::driver {

Error writeWholeFile(const std::string &Path, StringRef Bytes) {
  return support::writeOutput(Path, Bytes);
}

} // namespace cudagraph::driver
