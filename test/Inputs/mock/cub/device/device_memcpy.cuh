//===- device_memcpy.cuh - Copies in batches ------------------ -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_MEMCPY_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_MEMCPY_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DeviceMemcpy {
  template <typename InputBufferIt, typename OutputBufferIt,
            typename BufferSizeIteratorT>
  static cudaError_t Batched(void *d_temp_storage, size_t &temp_storage_bytes,
                             InputBufferIt input_buffer_it,
                             OutputBufferIt output_buffer_it,
                             BufferSizeIteratorT buffer_sizes,
                             long long num_buffers, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_MEMCPY_CUH
