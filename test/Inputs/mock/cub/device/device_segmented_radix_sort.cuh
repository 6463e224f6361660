//===- device_segmented_radix_sort.cuh - Sorting in segments ----*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_SEGMENTED_RADIX_SORT_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_SEGMENTED_RADIX_SORT_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DeviceSegmentedRadixSort {
  template <typename KeyT, typename ValueT, typename BeginOffsetIteratorT,
            typename EndOffsetIteratorT>
  static cudaError_t
  SortPairs(void *d_temp_storage, size_t &temp_storage_bytes,
            const KeyT *d_keys_in, KeyT *d_keys_out, const ValueT *d_values_in,
            ValueT *d_values_out, int num_items, int num_segments,
            BeginOffsetIteratorT d_begin_offsets,
            EndOffsetIteratorT d_end_offsets, int begin_bit = 0,
            int end_bit = sizeof(KeyT) * 8, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeyT, typename ValueT, typename BeginOffsetIteratorT,
            typename EndOffsetIteratorT>
  static cudaError_t
  SortPairs(void *d_temp_storage, size_t &temp_storage_bytes,
            DoubleBuffer<KeyT> &d_keys, DoubleBuffer<ValueT> &d_values,
            int num_items, int num_segments,
            BeginOffsetIteratorT d_begin_offsets,
            EndOffsetIteratorT d_end_offsets, int begin_bit = 0,
            int end_bit = sizeof(KeyT) * 8, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeyT, typename ValueT, typename BeginOffsetIteratorT,
            typename EndOffsetIteratorT>
  static cudaError_t SortPairsDescending(
      void *d_temp_storage, size_t &temp_storage_bytes, const KeyT *d_keys_in,
      KeyT *d_keys_out, const ValueT *d_values_in, ValueT *d_values_out,
      int num_items, int num_segments, BeginOffsetIteratorT d_begin_offsets,
      EndOffsetIteratorT d_end_offsets, int begin_bit = 0,
      int end_bit = sizeof(KeyT) * 8, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeyT, typename ValueT, typename BeginOffsetIteratorT,
            typename EndOffsetIteratorT>
  static cudaError_t
  SortPairsDescending(void *d_temp_storage, size_t &temp_storage_bytes,
                      DoubleBuffer<KeyT> &d_keys,
                      DoubleBuffer<ValueT> &d_values, int num_items,
                      int num_segments, BeginOffsetIteratorT d_begin_offsets,
                      EndOffsetIteratorT d_end_offsets, int begin_bit = 0,
                      int end_bit = sizeof(KeyT) * 8, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeyT, typename BeginOffsetIteratorT,
            typename EndOffsetIteratorT>
  static cudaError_t
  SortKeys(void *d_temp_storage, size_t &temp_storage_bytes,
           const KeyT *d_keys_in, KeyT *d_keys_out, int num_items,
           int num_segments, BeginOffsetIteratorT d_begin_offsets,
           EndOffsetIteratorT d_end_offsets, int begin_bit = 0,
           int end_bit = sizeof(KeyT) * 8, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeyT, typename BeginOffsetIteratorT,
            typename EndOffsetIteratorT>
  static cudaError_t
  SortKeys(void *d_temp_storage, size_t &temp_storage_bytes,
           DoubleBuffer<KeyT> &d_keys, int num_items, int num_segments,
           BeginOffsetIteratorT d_begin_offsets,
           EndOffsetIteratorT d_end_offsets, int begin_bit = 0,
           int end_bit = sizeof(KeyT) * 8, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeyT, typename BeginOffsetIteratorT,
            typename EndOffsetIteratorT>
  static cudaError_t
  SortKeysDescending(void *d_temp_storage, size_t &temp_storage_bytes,
                     const KeyT *d_keys_in, KeyT *d_keys_out, int num_items,
                     int num_segments, BeginOffsetIteratorT d_begin_offsets,
                     EndOffsetIteratorT d_end_offsets, int begin_bit = 0,
                     int end_bit = sizeof(KeyT) * 8, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeyT, typename BeginOffsetIteratorT,
            typename EndOffsetIteratorT>
  static cudaError_t
  SortKeysDescending(void *d_temp_storage, size_t &temp_storage_bytes,
                     DoubleBuffer<KeyT> &d_keys, int num_items,
                     int num_segments, BeginOffsetIteratorT d_begin_offsets,
                     EndOffsetIteratorT d_end_offsets, int begin_bit = 0,
                     int end_bit = sizeof(KeyT) * 8, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_SEGMENTED_RADIX_SORT_CUH
