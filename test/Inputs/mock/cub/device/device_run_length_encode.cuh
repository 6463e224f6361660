//===- device_run_length_encode.cuh - Runs -------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_RUN_LENGTH_ENCODE_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_RUN_LENGTH_ENCODE_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DeviceRunLengthEncode {
  template <typename InputIteratorT, typename UniqueOutputIteratorT,
            typename LengthsOutputIteratorT, typename NumRunsOutputIteratorT>
  static cudaError_t Encode(void *d_temp_storage, size_t &temp_storage_bytes,
                            InputIteratorT d_in,
                            UniqueOutputIteratorT d_unique_out,
                            LengthsOutputIteratorT d_counts_out,
                            NumRunsOutputIteratorT d_num_runs_out,
                            int num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OffsetsOutputIteratorT,
            typename LengthsOutputIteratorT, typename NumRunsOutputIteratorT>
  static cudaError_t
  NonTrivialRuns(void *d_temp_storage, size_t &temp_storage_bytes,
                 InputIteratorT d_in, OffsetsOutputIteratorT d_offsets_out,
                 LengthsOutputIteratorT d_lengths_out,
                 NumRunsOutputIteratorT d_num_runs_out, int num_items,
                 cudaStream_t stream = 0) {
    return cudaSuccess;
  }
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_RUN_LENGTH_ENCODE_CUH
