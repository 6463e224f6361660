//===- Zstd.cpp - Loads libzstd on demand ---------------------------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's static library calls zstd for compressed debug sections. Such sections
// are rare, and not every machine has libzstd, so it is loaded when the first
// one is read. Without libzstd, these sections are not read.
//
//===----------------------------------------------------------------------===//

#include <cstddef>
#include <dlfcn.h>

namespace {

constexpr size_t Failed = static_cast<size_t>(-1);

void *find(const char *Name) {
  static void *const Library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  return Library ? dlsym(Library, Name) : nullptr;
}

} // namespace

extern "C" {

size_t ZSTD_decompress(void *To, size_t ToSize, const void *From,
                       size_t FromSize) {
  using Function = size_t (*)(void *, size_t, const void *, size_t);
  static const auto Real = reinterpret_cast<Function>(find("ZSTD_decompress"));
  return Real ? Real(To, ToSize, From, FromSize) : Failed;
}

unsigned ZSTD_isError(size_t Result) {
  using Function = unsigned (*)(size_t);
  static const auto Real = reinterpret_cast<Function>(find("ZSTD_isError"));
  return Real ? Real(Result) : Result == Failed;
}

const char *ZSTD_getErrorName(size_t Result) {
  using Function = const char *(*)(size_t);
  static const auto Real =
      reinterpret_cast<Function>(find("ZSTD_getErrorName"));
  return Real ? Real(Result) : "libzstd.so.1 could not be loaded";
}

// This program does not compress data.
void *ZSTD_createCCtx() { return nullptr; }
size_t ZSTD_freeCCtx(void *) { return 0; }
size_t ZSTD_CCtx_setParameter(void *, int, int) { return Failed; }
size_t ZSTD_compressBound(size_t) { return 0; }
size_t ZSTD_compress2(void *, void *, size_t, const void *, size_t) {
  return Failed;
}

} // extern "C"
