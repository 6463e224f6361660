//===- ProcessMemory.cpp - Memory that is returned to the system ----------===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProcessMemory.h"
#include "llvm/Support/MathExtras.h"
#include <cstdint>
#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

using namespace llvm;

namespace cudagraph::driver {

#if defined(__GLIBC__)
/// Reserves \p Bytes of address space for the heap, and requests large pages
/// there: most of the time in the kernel is spent in page faults.
static void reserveHeap(int Bytes) {
  mallopt(M_TOP_PAD, Bytes);
  // The compiler must not remove the call.
  void *volatile Block = std::malloc(1 << 20);
  std::free(Block);
#if defined(MADV_HUGEPAGE)
  constexpr uintptr_t Page = 2 << 20;
  uintptr_t Begin = alignTo(reinterpret_cast<uintptr_t>(Block), Page);
  uintptr_t End = alignDown(reinterpret_cast<uintptr_t>(sbrk(0)), Page);
  if (Block && Begin < End)
    madvise(reinterpret_cast<void *>(Begin), End - Begin, MADV_HUGEPAGE);
#endif
}
#endif

void keepMemory() {
#if defined(__GLIBC__)
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  // glibc ignores a higher limit.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  // Only one thread runs at a time, so it can reuse what the others have freed.
  mallopt(M_ARENA_MAX, 1);
  reserveHeap(512 << 20);
  mallopt(M_TOP_PAD, 64 << 20);
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
