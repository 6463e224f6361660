//===- Compare.h - Compares the buffer contents of two runs -----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of registered buffers on the host, and their comparison.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_PROBE_COMPARE_H
#define CUDAGRAPH_PROBE_COMPARE_H

#include <cstddef>
#include <cstdlib>
#include <cudagraph/probe_interface.h>
#include <cudagraph/probe_results.h>
#include <memory>
#include <vector>

namespace cudagraph::probe_library {

struct Release {
  void operator()(void *P) const { std::free(P); }
};
using Bytes = std::unique_ptr<unsigned char, Release>;

/// The contents of the registered buffers at one time, in order; empty if
/// nothing was saved.
using Snapshot = std::vector<Bytes>;

struct Mismatch {
  std::size_t Offset = 0; // bytes, of the first element that differs
  std::size_t Count = 0;  // elements; 0: all are equal
};

/// Compares the contents \p Now of a buffer with \p Reference, according to
/// cudagraph::tolerance. Bytes after the last whole element are compared as
/// bytes.
Mismatch compare(const detail::c_buffer &B, const unsigned char *Reference,
                 const unsigned char *Now);

} // namespace cudagraph::probe_library

#endif // CUDAGRAPH_PROBE_COMPARE_H
