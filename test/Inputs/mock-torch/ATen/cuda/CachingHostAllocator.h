//===- CachingHostAllocator.h - Mock: pinned memory ----------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_ATEN_CUDA_CACHINGHOSTALLOCATOR_H
#define CUDAGRAPH_MOCK_ATEN_CUDA_CACHINGHOSTALLOCATOR_H

#include <c10/core.h>

namespace c10 {
class DataPtr {
public:
  void *get() const;
};
} // namespace c10

namespace at {
using c10::DataPtr;
namespace cuda {
DataPtr HostAlloc(size_t size);
} // namespace cuda
} // namespace at

#endif // CUDAGRAPH_MOCK_ATEN_CUDA_CACHINGHOSTALLOCATOR_H
