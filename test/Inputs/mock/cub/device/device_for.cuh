//===- device_for.cuh - Loops --------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_FOR_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_FOR_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DeviceFor {
  template <class RandomAccessIteratorT, class OffsetT, class OpT>
  static cudaError_t for_each_n(RandomAccessIteratorT first, OffsetT num_items,
                                OpT op, cudaStream_t stream,
                                ::cuda::std::false_type) {
    return cudaSuccess;
  }
  template <class ContiguousIteratorT, class OffsetT, class OpT>
  static cudaError_t for_each_n(ContiguousIteratorT first, OffsetT num_items,
                                OpT op, cudaStream_t stream,
                                cuda::std::true_type) {
    return cudaSuccess;
  }
  template <class ShapeT, class OpT>
  static cudaError_t Bulk(void *d_temp_storage, size_t &temp_storage_bytes,
                          ShapeT shape, OpT op, cudaStream_t stream = {}) {
    return cudaSuccess;
  }
  template <class RandomAccessIteratorT, class NumItemsT, class OpT>
  static cudaError_t ForEachN(void *d_temp_storage, size_t &temp_storage_bytes,
                              RandomAccessIteratorT first, NumItemsT num_items,
                              OpT op, cudaStream_t stream = {}) {
    return cudaSuccess;
  }
  template <class RandomAccessIteratorT, class OpT>
  static cudaError_t ForEach(void *d_temp_storage, size_t &temp_storage_bytes,
                             RandomAccessIteratorT first,
                             RandomAccessIteratorT last, OpT op,
                             cudaStream_t stream = {}) {
    return cudaSuccess;
  }
  template <class RandomAccessIteratorT, class NumItemsT, class OpT>
  static cudaError_t
  ForEachCopyN(void *d_temp_storage, size_t &temp_storage_bytes,
               RandomAccessIteratorT first, NumItemsT num_items, OpT op,
               cudaStream_t stream = {}) {
    return cudaSuccess;
  }
  template <class RandomAccessIteratorT, class OpT>
  static cudaError_t
  ForEachCopy(void *d_temp_storage, size_t &temp_storage_bytes,
              RandomAccessIteratorT first, RandomAccessIteratorT last, OpT op,
              cudaStream_t stream = {}) {
    return cudaSuccess;
  }
  template <class ShapeT, class OpT>
  static cudaError_t Bulk(ShapeT shape, OpT op, cudaStream_t stream = {}) {
    return cudaSuccess;
  }
  template <class RandomAccessIteratorT, class NumItemsT, class OpT>
  static cudaError_t ForEachN(RandomAccessIteratorT first, NumItemsT num_items,
                              OpT op, cudaStream_t stream = {}) {
    return cudaSuccess;
  }
  template <class RandomAccessIteratorT, class OpT>
  static cudaError_t ForEach(RandomAccessIteratorT first,
                             RandomAccessIteratorT last, OpT op,
                             cudaStream_t stream = {}) {
    return cudaSuccess;
  }
  template <class RandomAccessIteratorT, class NumItemsT, class OpT>
  static cudaError_t ForEachCopyN(RandomAccessIteratorT first,
                                  NumItemsT num_items, OpT op,
                                  cudaStream_t stream = {}) {
    return cudaSuccess;
  }
  template <class RandomAccessIteratorT, class OpT>
  static cudaError_t ForEachCopy(RandomAccessIteratorT first,
                                 RandomAccessIteratorT last, OpT op,
                                 cudaStream_t stream = {}) {
    return cudaSuccess;
  }
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_FOR_CUH
