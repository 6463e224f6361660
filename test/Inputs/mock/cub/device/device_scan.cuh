//===- device_scan.cuh - Scans -------------------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_SCAN_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_SCAN_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DeviceScan {
  template <typename InputIteratorT, typename OutputIteratorT,
            typename NumItemsT>
  static cudaError_t
  ExclusiveSum(void *d_temp_storage, size_t &temp_storage_bytes,
               InputIteratorT d_in, OutputIteratorT d_out, NumItemsT num_items,
               cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename IteratorT, typename NumItemsT>
  static cudaError_t
  ExclusiveSum(void *d_temp_storage, size_t &temp_storage_bytes,
               IteratorT d_data, NumItemsT num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT, typename ScanOpT,
            typename InitValueT, typename NumItemsT>
  static cudaError_t
  ExclusiveScan(void *d_temp_storage, size_t &temp_storage_bytes,
                InputIteratorT d_in, OutputIteratorT d_out, ScanOpT scan_op,
                InitValueT init_value, NumItemsT num_items,
                cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename IteratorT, typename ScanOpT, typename InitValueT,
            typename NumItemsT>
  static cudaError_t
  ExclusiveScan(void *d_temp_storage, size_t &temp_storage_bytes,
                IteratorT d_data, ScanOpT scan_op, InitValueT init_value,
                NumItemsT num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT,
            typename NumItemsT>
  static cudaError_t
  InclusiveSum(void *d_temp_storage, size_t &temp_storage_bytes,
               InputIteratorT d_in, OutputIteratorT d_out, NumItemsT num_items,
               cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename IteratorT, typename NumItemsT>
  static cudaError_t
  InclusiveSum(void *d_temp_storage, size_t &temp_storage_bytes,
               IteratorT d_data, NumItemsT num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT, typename ScanOpT,
            typename NumItemsT>
  static cudaError_t
  InclusiveScan(void *d_temp_storage, size_t &temp_storage_bytes,
                InputIteratorT d_in, OutputIteratorT d_out, ScanOpT scan_op,
                NumItemsT num_items, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename InputIteratorT, typename OutputIteratorT, typename ScanOpT,
            typename InitValueT, typename NumItemsT>
  static cudaError_t
  InclusiveScanInit(void *d_temp_storage, size_t &temp_storage_bytes,
                    InputIteratorT d_in, OutputIteratorT d_out, ScanOpT scan_op,
                    InitValueT init_value, NumItemsT num_items,
                    cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename IteratorT, typename ScanOpT, typename NumItemsT>
  static cudaError_t InclusiveScan(void *d_temp_storage,
                                   size_t &temp_storage_bytes, IteratorT d_data,
                                   ScanOpT scan_op, NumItemsT num_items,
                                   cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeysInputIteratorT, typename ValuesInputIteratorT,
            typename ValuesOutputIteratorT,
            typename EqualityOpT = ::cuda::std::equal_to<>,
            typename NumItemsT = uint32_t>
  static cudaError_t ExclusiveSumByKey(
      void *d_temp_storage, size_t &temp_storage_bytes,
      KeysInputIteratorT d_keys_in, ValuesInputIteratorT d_values_in,
      ValuesOutputIteratorT d_values_out, NumItemsT num_items,
      EqualityOpT equality_op = EqualityOpT(), cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeysInputIteratorT, typename ValuesInputIteratorT,
            typename ValuesOutputIteratorT, typename ScanOpT,
            typename InitValueT, typename EqualityOpT = ::cuda::std::equal_to<>,
            typename NumItemsT = uint32_t>
  static cudaError_t ExclusiveScanByKey(
      void *d_temp_storage, size_t &temp_storage_bytes,
      KeysInputIteratorT d_keys_in, ValuesInputIteratorT d_values_in,
      ValuesOutputIteratorT d_values_out, ScanOpT scan_op,
      InitValueT init_value, NumItemsT num_items,
      EqualityOpT equality_op = EqualityOpT(), cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeysInputIteratorT, typename ValuesInputIteratorT,
            typename ValuesOutputIteratorT,
            typename EqualityOpT = ::cuda::std::equal_to<>,
            typename NumItemsT = uint32_t>
  static cudaError_t InclusiveSumByKey(
      void *d_temp_storage, size_t &temp_storage_bytes,
      KeysInputIteratorT d_keys_in, ValuesInputIteratorT d_values_in,
      ValuesOutputIteratorT d_values_out, NumItemsT num_items,
      EqualityOpT equality_op = EqualityOpT(), cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename KeysInputIteratorT, typename ValuesInputIteratorT,
            typename ValuesOutputIteratorT, typename ScanOpT,
            typename EqualityOpT = ::cuda::std::equal_to<>,
            typename NumItemsT = uint32_t>
  static cudaError_t InclusiveScanByKey(
      void *d_temp_storage, size_t &temp_storage_bytes,
      KeysInputIteratorT d_keys_in, ValuesInputIteratorT d_values_in,
      ValuesOutputIteratorT d_values_out, ScanOpT scan_op, NumItemsT num_items,
      EqualityOpT equality_op = EqualityOpT(), cudaStream_t stream = 0) {
    return cudaSuccess;
  }
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_SCAN_CUH
