//===- device_partition.cuh - Partitions ---------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_PARTITION_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_PARTITION_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DevicePartition {
  template <typename InputIteratorT, typename FlagIterator,
            typename OutputIteratorT, typename NumSelectedIteratorT,
            typename NumItemsT>
  static cudaError_t Flagged(void *d_temp_storage, size_t &temp_storage_bytes,
                             InputIteratorT d_in, FlagIterator d_flags,
                             OutputIteratorT d_out,
                             NumSelectedIteratorT d_num_selected_out,
                             NumItemsT num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename NumSelectedIteratorT, typename SelectOp,
            typename NumItemsT>
  static cudaError_t
  If(void *d_temp_storage, size_t &temp_storage_bytes, InputIteratorT d_in,
     OutputIteratorT d_out, NumSelectedIteratorT d_num_selected_out,
     NumItemsT num_items, SelectOp select_op, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename FirstOutputIteratorT,
            typename SecondOutputIteratorT, typename UnselectedOutputIteratorT,
            typename NumSelectedIteratorT, typename SelectFirstPartOp,
            typename SelectSecondPartOp, typename NumItemsT>
  static cudaError_t
  If(void *d_temp_storage, size_t &temp_storage_bytes, InputIteratorT d_in,
     FirstOutputIteratorT d_first_part_out,
     SecondOutputIteratorT d_second_part_out,
     UnselectedOutputIteratorT d_unselected_out,
     NumSelectedIteratorT d_num_selected_out, NumItemsT num_items,
     SelectFirstPartOp select_first_part_op,
     SelectSecondPartOp select_second_part_op, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_PARTITION_CUH
