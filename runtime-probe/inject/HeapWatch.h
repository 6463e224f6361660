//===- HeapWatch.h - The release of host memory of graphs -------*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA does not report the release of memory that it does not manage.
// Therefore, calls to free(), realloc(), and munmap() by the program and its
// libraries are redirected through their global offset tables once a graph uses
// such memory. `operator delete` calls free(). A call that frees no watched
// memory reads only one byte for each 256 bytes of the block. Every call is
// passed on unchanged.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_HEAPWATCH_H
#define CUDAGRAPH_PROBE_HEAPWATCH_H

#include <cstdint>
#include <utility>
#include <vector>

namespace cudagraph::probe {

class HeapWatch {
public:
  /// Addresses and sizes.
  using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;
  /// Called when the function \p Api is about to free or unmap the memory at
  /// \p Address.
  using Report = void (*)(const char *Api, uint64_t Address, uint64_t Bytes);

  /// Watches the ranges \p More: the release of memory that overlaps one of
  /// them is reported once to \p To, on the thread that releases it. Modules
  /// that have been loaded since the last call are included. Returns false if
  /// the calls cannot be observed.
  static bool watch(const Ranges &More, Report To);
};

} // namespace cudagraph::probe

#endif // CUDAGRAPH_PROBE_HEAPWATCH_H
