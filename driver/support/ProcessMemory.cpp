//===- ProcessMemory.cpp - Memory that is returned to the system ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProcessMemory.h"
#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace cudagraph::driver {

void keepMemory() {
#if defined(__GLIBC__)
  mallopt(M_TOP_PAD, 64 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  // Only one thread runs at a time, so it can reuse what the others have freed.
  mallopt(M_ARENA_MAX, 1);
#endif
}

void returnLargeBlocks() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

void trimMemory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

} // namespace cudagraph::driver
