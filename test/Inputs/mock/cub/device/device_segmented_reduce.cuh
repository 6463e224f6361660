//===- device_segmented_reduce.cuh - Reductions of segments --- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_SEGMENTED_REDUCE_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_SEGMENTED_REDUCE_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DeviceSegmentedReduce {
  template <typename InputIteratorT, typename OutputIteratorT,
            typename BeginOffsetIteratorT, typename EndOffsetIteratorT,
            typename OffsetT, typename ReductionOpT, typename InitT,
            typename... Ts>
  static cudaError_t segmented_reduce(
      ::cuda::std::false_type, void *d_temp_storage, size_t &temp_storage_bytes,
      InputIteratorT d_in, OutputIteratorT d_out, long long num_segments,
      BeginOffsetIteratorT d_begin_offsets, EndOffsetIteratorT d_end_offsets,
      ReductionOpT reduction_op, InitT initial_value, cudaStream_t stream) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename BeginOffsetIteratorT, typename EndOffsetIteratorT,
            typename OffsetT, typename ReductionOpT, typename InitT,
            typename... Ts>
  static cudaError_t segmented_reduce(
      cuda::std::true_type, void *d_temp_storage, size_t &temp_storage_bytes,
      InputIteratorT d_in, OutputIteratorT d_out, long long num_segments,
      BeginOffsetIteratorT d_begin_offsets, EndOffsetIteratorT d_end_offsets,
      ReductionOpT reduction_op, InitT initial_value, cudaStream_t stream) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename BeginOffsetIteratorT, typename EndOffsetIteratorT,
            typename ReductionOpT, typename T>
  static cudaError_t
  Reduce(void *d_temp_storage, size_t &temp_storage_bytes, InputIteratorT d_in,
         OutputIteratorT d_out, long long num_segments,
         BeginOffsetIteratorT d_begin_offsets, EndOffsetIteratorT d_end_offsets,
         ReductionOpT reduction_op, T initial_value, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename BeginOffsetIteratorT, typename EndOffsetIteratorT>
  static cudaError_t
  Sum(void *d_temp_storage, size_t &temp_storage_bytes, InputIteratorT d_in,
      OutputIteratorT d_out, long long num_segments,
      BeginOffsetIteratorT d_begin_offsets, EndOffsetIteratorT d_end_offsets,
      cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename BeginOffsetIteratorT, typename EndOffsetIteratorT>
  static cudaError_t
  Min(void *d_temp_storage, size_t &temp_storage_bytes, InputIteratorT d_in,
      OutputIteratorT d_out, long long num_segments,
      BeginOffsetIteratorT d_begin_offsets, EndOffsetIteratorT d_end_offsets,
      cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename BeginOffsetIteratorT, typename EndOffsetIteratorT>
  static cudaError_t
  ArgMin(void *d_temp_storage, size_t &temp_storage_bytes, InputIteratorT d_in,
         OutputIteratorT d_out, long long num_segments,
         BeginOffsetIteratorT d_begin_offsets, EndOffsetIteratorT d_end_offsets,
         cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename BeginOffsetIteratorT, typename EndOffsetIteratorT>
  static cudaError_t
  Max(void *d_temp_storage, size_t &temp_storage_bytes, InputIteratorT d_in,
      OutputIteratorT d_out, long long num_segments,
      BeginOffsetIteratorT d_begin_offsets, EndOffsetIteratorT d_end_offsets,
      cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename BeginOffsetIteratorT, typename EndOffsetIteratorT>
  static cudaError_t
  ArgMax(void *d_temp_storage, size_t &temp_storage_bytes, InputIteratorT d_in,
         OutputIteratorT d_out, long long num_segments,
         BeginOffsetIteratorT d_begin_offsets, EndOffsetIteratorT d_end_offsets,
         cudaStream_t stream = 0) {
    return cudaSuccess;
  }
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_SEGMENTED_REDUCE_CUH
