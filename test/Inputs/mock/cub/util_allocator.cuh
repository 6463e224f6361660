//===- util_allocator.cuh - The caching allocator ------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_UTIL_ALLOCATOR_CUH
#define CUDAGRAPH_MOCK_CUB_UTIL_ALLOCATOR_CUH

#include "cuda_runtime.h"

namespace cub {

struct CachingDeviceAllocator {
  CachingDeviceAllocator(unsigned int bin_growth, unsigned int min_bin = 1,
                         unsigned int max_bin = (unsigned int)-1,
                         size_t max_cached_bytes = (size_t)-1,
                         bool skip_cleanup = false);
  CachingDeviceAllocator(bool skip_cleanup = false);
  ~CachingDeviceAllocator();
  cudaError_t SetMaxCachedBytes(size_t max_cached_bytes);
  cudaError_t DeviceAllocate(int device, void **d_ptr, size_t bytes,
                             cudaStream_t active_stream = 0);
  cudaError_t DeviceAllocate(void **d_ptr, size_t bytes,
                             cudaStream_t active_stream = 0);
  cudaError_t DeviceFree(int device, void *d_ptr);
  cudaError_t DeviceFree(void *d_ptr);
  cudaError_t FreeAllCached();
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_UTIL_ALLOCATOR_CUH
