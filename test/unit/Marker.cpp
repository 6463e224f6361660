//===- Marker.cpp - A library that reports when it is loaded --------------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>

__attribute__((constructor)) static void tell() {
  const char *Name = std::getenv("CUDAGRAPH_TEST_LOADED");
  std::FILE *File = Name ? std::fopen(Name, "w") : nullptr;
  if (File)
    std::fclose(File);
}
