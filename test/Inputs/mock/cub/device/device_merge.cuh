//===- device_merge.cuh - Merging ----------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_MERGE_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_MERGE_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DeviceMerge {
  template <typename KeyIteratorIn1, typename KeyIteratorIn2,
            typename KeyIteratorOut, typename CompareOp = ::cuda::std::less<>>
  static cudaError_t MergeKeys(void *d_temp_storage, size_t &temp_storage_bytes,
                               KeyIteratorIn1 keys_in1, long long num_keys1,
                               KeyIteratorIn2 keys_in2, long long num_keys2,
                               KeyIteratorOut keys_out,
                               CompareOp compare_op = {},
                               cudaStream_t stream = nullptr) {
    return cudaSuccess;
  }
  template <typename KeyIteratorIn1, typename ValueIteratorIn1,
            typename KeyIteratorIn2, typename ValueIteratorIn2,
            typename KeyIteratorOut, typename ValueIteratorOut,
            typename CompareOp = ::cuda::std::less<>>
  static cudaError_t
  MergePairs(void *d_temp_storage, size_t &temp_storage_bytes,
             KeyIteratorIn1 keys_in1, ValueIteratorIn1 values_in1,
             long long num_pairs1, KeyIteratorIn2 keys_in2,
             ValueIteratorIn2 values_in2, long long num_pairs2,
             KeyIteratorOut keys_out, ValueIteratorOut values_out,
             CompareOp compare_op = {}, cudaStream_t stream = nullptr) {
    return cudaSuccess;
  }
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_MERGE_CUH
