//===- Paths.cpp - Names of files -----------------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Paths.h"
#include "versions/LLVMVersions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace cudagraph::driver {

std::string absolutePath(StringRef Path, StringRef Directory) {
  SmallString<256> Result(Path);
  if (Directory.empty())
    (void)sys::fs::make_absolute(Result);
  else
    sys::path::make_absolute(Directory, Result);
  sys::path::remove_dots(Result, /*remove_dot_dot=*/true);
  return Result.str().str();
}

std::string joinPath(StringRef A, const Twine &B, const Twine &C) {
  SmallString<256> Path(A);
  sys::path::append(Path, B, C);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/false);
  return Path.str().str();
}

std::string realPath(StringRef Path) {
  SmallString<256> Result;
  if (sys::fs::real_path(Path, Result))
    return Path.str();
  return Result.str().str();
}

bool isSourceName(StringRef File) {
  return is_contained(
      {".c", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".cu", ".CC"},
      sys::path::extension(File));
}

bool isHeaderName(StringRef File) {
  return is_contained({".h", ".hh", ".hp", ".hpp", ".hxx", ".h++", ".H", ".cuh",
                       ".inl", ".ipp", ".tpp", ".txx", ".tcc", ".inc", ".cuinl",
                       ".impl"},
                      sys::path::extension(File));
}

bool hasCudaExtension(StringRef File) {
  StringRef Extension = sys::path::extension(File);
  return Extension == ".cu" || Extension == ".cuh";
}

StringRef languageOfName(StringRef File) {
  if (hasCudaExtension(File))
    return "cuda";
  return sys::path::extension(File) == ".c" ? "c" : "c++";
}

} // namespace cudagraph::driver
