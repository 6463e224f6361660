//===- device_copy.cuh - Copies in batches -------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_COPY_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_COPY_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DeviceCopy {
  template <typename InputIt, typename OutputIt, typename SizeIteratorT>
  static cudaError_t Batched(void *d_temp_storage, size_t &temp_storage_bytes,
                             InputIt input_it, OutputIt output_it,
                             SizeIteratorT sizes, long long num_ranges,
                             cudaStream_t stream = 0) {
    return cudaSuccess;
  }
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_COPY_CUH
