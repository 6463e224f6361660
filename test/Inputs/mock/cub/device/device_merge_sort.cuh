//===- device_merge_sort.cuh - Sorting with an order ---------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_MERGE_SORT_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_MERGE_SORT_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DeviceMergeSort {
  template <typename KeyIteratorT, typename ValueIteratorT, typename OffsetT,
            typename CompareOpT>
  static cudaError_t SortPairs(void *d_temp_storage, size_t &temp_storage_bytes,
                               KeyIteratorT d_keys, ValueIteratorT d_items,
                               OffsetT num_items, CompareOpT compare_op,
                               cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeyInputIteratorT, typename ValueInputIteratorT,
            typename KeyIteratorT, typename ValueIteratorT, typename OffsetT,
            typename CompareOpT>
  static cudaError_t
  SortPairsCopy(void *d_temp_storage, size_t &temp_storage_bytes,
                KeyInputIteratorT d_input_keys,
                ValueInputIteratorT d_input_items, KeyIteratorT d_output_keys,
                ValueIteratorT d_output_items, OffsetT num_items,
                CompareOpT compare_op, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeyIteratorT, typename OffsetT, typename CompareOpT>
  static cudaError_t SortKeys(void *d_temp_storage, size_t &temp_storage_bytes,
                              KeyIteratorT d_keys, OffsetT num_items,
                              CompareOpT compare_op, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeyInputIteratorT, typename KeyIteratorT, typename OffsetT,
            typename CompareOpT>
  static cudaError_t
  SortKeysCopy(void *d_temp_storage, size_t &temp_storage_bytes,
               KeyInputIteratorT d_input_keys, KeyIteratorT d_output_keys,
               OffsetT num_items, CompareOpT compare_op,
               cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeyIteratorT, typename ValueIteratorT, typename OffsetT,
            typename CompareOpT>
  static cudaError_t
  StableSortPairs(void *d_temp_storage, size_t &temp_storage_bytes,
                  KeyIteratorT d_keys, ValueIteratorT d_items,
                  OffsetT num_items, CompareOpT compare_op,
                  cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeyIteratorT, typename OffsetT, typename CompareOpT>
  static cudaError_t
  StableSortKeys(void *d_temp_storage, size_t &temp_storage_bytes,
                 KeyIteratorT d_keys, OffsetT num_items, CompareOpT compare_op,
                 cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeyInputIteratorT, typename KeyIteratorT, typename OffsetT,
            typename CompareOpT>
  static cudaError_t
  StableSortKeysCopy(void *d_temp_storage, size_t &temp_storage_bytes,
                     KeyInputIteratorT d_input_keys, KeyIteratorT d_output_keys,
                     OffsetT num_items, CompareOpT compare_op,
                     cudaStream_t stream = 0) {
    return cudaSuccess;
  }
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_MERGE_SORT_CUH
