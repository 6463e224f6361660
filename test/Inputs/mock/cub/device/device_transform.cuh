//===- device_transform.cuh - Transformations ----------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_TRANSFORM_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_TRANSFORM_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DeviceTransform {
  template <typename RandomAccessIteratorIn, typename RandomAccessIteratorOut,
            typename NumItemsT, typename TransformOp>
  static cudaError_t Transform(RandomAccessIteratorIn input,
                               RandomAccessIteratorOut output,
                               NumItemsT num_items, TransformOp transform_op,
                               cudaStream_t stream = nullptr) {
    return cudaSuccess;
  }
  template <typename RandomAccessIteratorIn, typename RandomAccessIteratorOut,
            typename NumItemsT, typename TransformOp>
  static cudaError_t Transform(void *d_temp_storage, size_t &temp_storage_bytes,
                               RandomAccessIteratorIn input,
                               RandomAccessIteratorOut output,
                               NumItemsT num_items, TransformOp transform_op,
                               cudaStream_t stream = nullptr) {
    return cudaSuccess;
  }
  template <typename RandomAccessIteratorIn, typename RandomAccessIteratorOut,
            typename NumItemsT, typename TransformOp>
  static cudaError_t TransformStableArgumentAddresses(
      RandomAccessIteratorIn input, RandomAccessIteratorOut output,
      NumItemsT num_items, TransformOp transform_op,
      cudaStream_t stream = nullptr) {
    return cudaSuccess;
  }
  template <typename RandomAccessIteratorIn, typename RandomAccessIteratorOut,
            typename NumItemsT, typename TransformOp>
  static cudaError_t TransformStableArgumentAddresses(
      void *d_temp_storage, size_t &temp_storage_bytes,
      RandomAccessIteratorIn input, RandomAccessIteratorOut output,
      NumItemsT num_items, TransformOp transform_op,
      cudaStream_t stream = nullptr) {
    return cudaSuccess;
  }
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_TRANSFORM_CUH
