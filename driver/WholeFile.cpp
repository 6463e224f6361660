//===- WholeFile.cpp - Files that are there in full or not ----------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm::writeToOutput does not look whether the last bytes arrived.
//
//===----------------------------------------------------------------------===//

#include "WholeFile.h"
#include "Options.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cudagraph::driver {

Error writeWholeFile(const std::string &Path, StringRef Bytes) {
  Expected<sys::fs::TempFile> File =
      sys::fs::TempFile::create(Path + "-%%%%%%.tmp");
  if (!File)
    return File.takeError();
  raw_fd_ostream Out(File->FD, /*shouldClose=*/false);
  Out << Bytes;
  Out.flush();
  if (Out.has_error()) {
    std::string Why = Out.error().message();
    Out.clear_error();
    consumeError(File->discard());
    return makeError(Why);
  }
  return File->keep(Path);
}

} // namespace cudagraph::driver
