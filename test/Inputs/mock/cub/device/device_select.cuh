//===- device_select.cuh - Selection -------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_SELECT_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_SELECT_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DeviceSelect {
  template <typename InputIteratorT, typename FlagIterator,
            typename OutputIteratorT, typename NumSelectedIteratorT>
  static cudaError_t Flagged(void *d_temp_storage, size_t &temp_storage_bytes,
                             InputIteratorT d_in, FlagIterator d_flags,
                             OutputIteratorT d_out,
                             NumSelectedIteratorT d_num_selected_out,
                             long long num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename IteratorT, typename FlagIterator,
            typename NumSelectedIteratorT>
  static cudaError_t Flagged(void *d_temp_storage, size_t &temp_storage_bytes,
                             IteratorT d_data, FlagIterator d_flags,
                             NumSelectedIteratorT d_num_selected_out,
                             long long num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename NumSelectedIteratorT, typename SelectOp>
  static cudaError_t
  If(void *d_temp_storage, size_t &temp_storage_bytes, InputIteratorT d_in,
     OutputIteratorT d_out, NumSelectedIteratorT d_num_selected_out,
     long long num_items, SelectOp select_op, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename IteratorT, typename NumSelectedIteratorT,
            typename SelectOp>
  static cudaError_t
  If(void *d_temp_storage, size_t &temp_storage_bytes, IteratorT d_data,
     NumSelectedIteratorT d_num_selected_out, long long num_items,
     SelectOp select_op, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename FlagIterator,
            typename OutputIteratorT, typename NumSelectedIteratorT,
            typename SelectOp>
  static cudaError_t
  FlaggedIf(void *d_temp_storage, size_t &temp_storage_bytes,
            InputIteratorT d_in, FlagIterator d_flags, OutputIteratorT d_out,
            NumSelectedIteratorT d_num_selected_out, long long num_items,
            SelectOp select_op, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename IteratorT, typename FlagIterator,
            typename NumSelectedIteratorT, typename SelectOp>
  static cudaError_t
  FlaggedIf(void *d_temp_storage, size_t &temp_storage_bytes, IteratorT d_data,
            FlagIterator d_flags, NumSelectedIteratorT d_num_selected_out,
            long long num_items, SelectOp select_op, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename NumSelectedIteratorT>
  static cudaError_t Unique(void *d_temp_storage, size_t &temp_storage_bytes,
                            InputIteratorT d_in, OutputIteratorT d_out,
                            NumSelectedIteratorT d_num_selected_out,
                            long long num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_SELECT_CUH
