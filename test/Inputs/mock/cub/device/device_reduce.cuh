//===- device_reduce.cuh - Reductions ------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_REDUCE_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_REDUCE_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DeviceReduce {
  template <typename InputIteratorT, typename OutputIteratorT,
            typename ReductionOpT, typename T, typename NumItemsT>
  static cudaError_t Reduce(void *d_temp_storage, size_t &temp_storage_bytes,
                            InputIteratorT d_in, OutputIteratorT d_out,
                            NumItemsT num_items, ReductionOpT reduction_op,
                            T init, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename NumItemsT>
  static cudaError_t Sum(void *d_temp_storage, size_t &temp_storage_bytes,
                         InputIteratorT d_in, OutputIteratorT d_out,
                         NumItemsT num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename NumItemsT>
  static cudaError_t Min(void *d_temp_storage, size_t &temp_storage_bytes,
                         InputIteratorT d_in, OutputIteratorT d_out,
                         NumItemsT num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename ExtremumOutIteratorT,
            typename IndexOutIteratorT>
  static cudaError_t ArgMin(void *d_temp_storage, size_t &temp_storage_bytes,
                            InputIteratorT d_in, ExtremumOutIteratorT d_min_out,
                            IndexOutIteratorT d_index_out, long long num_items,
                            cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT>
  static cudaError_t ArgMin(void *d_temp_storage, size_t &temp_storage_bytes,
                            InputIteratorT d_in, OutputIteratorT d_out,
                            int num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename NumItemsT>
  static cudaError_t Max(void *d_temp_storage, size_t &temp_storage_bytes,
                         InputIteratorT d_in, OutputIteratorT d_out,
                         NumItemsT num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename ExtremumOutIteratorT,
            typename IndexOutIteratorT>
  static cudaError_t ArgMax(void *d_temp_storage, size_t &temp_storage_bytes,
                            InputIteratorT d_in, ExtremumOutIteratorT d_max_out,
                            IndexOutIteratorT d_index_out, long long num_items,
                            cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT>
  static cudaError_t ArgMax(void *d_temp_storage, size_t &temp_storage_bytes,
                            InputIteratorT d_in, OutputIteratorT d_out,
                            int num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename ReductionOpT, typename TransformOpT, typename T,
            typename NumItemsT>
  static cudaError_t
  TransformReduce(void *d_temp_storage, size_t &temp_storage_bytes,
                  InputIteratorT d_in, OutputIteratorT d_out,
                  NumItemsT num_items, ReductionOpT reduction_op,
                  TransformOpT transform_op, T init, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeysInputIteratorT, typename UniqueOutputIteratorT,
            typename ValuesInputIteratorT, typename AggregatesOutputIteratorT,
            typename NumRunsOutputIteratorT, typename ReductionOpT,
            typename NumItemsT>
  static cudaError_t
  ReduceByKey(void *d_temp_storage, size_t &temp_storage_bytes,
              KeysInputIteratorT d_keys_in, UniqueOutputIteratorT d_unique_out,
              ValuesInputIteratorT d_values_in,
              AggregatesOutputIteratorT d_aggregates_out,
              NumRunsOutputIteratorT d_num_runs_out, ReductionOpT reduction_op,
              NumItemsT num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_REDUCE_CUH
