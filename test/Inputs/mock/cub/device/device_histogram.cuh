//===- device_histogram.cuh - Histograms ---------------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_HISTOGRAM_CUH
#define CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_HISTOGRAM_CUH

#include "../util_type.cuh"
#include "cuda_runtime.h"

namespace cub {

struct DeviceHistogram {
  template <typename SampleIteratorT, typename CounterT, typename LevelT,
            typename OffsetT>
  static cudaError_t
  HistogramEven(void *d_temp_storage, size_t &temp_storage_bytes,
                SampleIteratorT d_samples, CounterT *d_histogram,
                int num_levels, LevelT lower_level, LevelT upper_level,
                OffsetT num_samples, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename SampleIteratorT, typename CounterT, typename LevelT,
            typename OffsetT>
  static cudaError_t
  HistogramEven(void *d_temp_storage, size_t &temp_storage_bytes,
                SampleIteratorT d_samples, CounterT *d_histogram,
                int num_levels, LevelT lower_level, LevelT upper_level,
                OffsetT num_row_samples, OffsetT num_rows,
                size_t row_stride_bytes, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT,
            typename CounterT, typename LevelT, typename OffsetT>
  static cudaError_t MultiHistogramEven(
      void *d_temp_storage, size_t &temp_storage_bytes,
      SampleIteratorT d_samples,
      ::cuda::std::array<CounterT *, NUM_ACTIVE_CHANNELS> d_histogram,
      ::cuda::std::array<int, NUM_ACTIVE_CHANNELS> num_levels,
      ::cuda::std::array<LevelT, NUM_ACTIVE_CHANNELS> lower_level,
      ::cuda::std::array<LevelT, NUM_ACTIVE_CHANNELS> upper_level,
      OffsetT num_pixels, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT,
            typename CounterT, typename LevelT, typename OffsetT>
  static cudaError_t
  MultiHistogramEven(void *d_temp_storage, size_t &temp_storage_bytes,
                     SampleIteratorT d_samples,
                     CounterT *d_histogram[NUM_ACTIVE_CHANNELS],
                     const int num_levels[NUM_ACTIVE_CHANNELS],
                     const LevelT lower_level[NUM_ACTIVE_CHANNELS],
                     const LevelT upper_level[NUM_ACTIVE_CHANNELS],
                     OffsetT num_pixels, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT,
            typename CounterT, typename LevelT, typename OffsetT>
  static cudaError_t MultiHistogramEven(
      void *d_temp_storage, size_t &temp_storage_bytes,
      SampleIteratorT d_samples,
      ::cuda::std::array<CounterT *, NUM_ACTIVE_CHANNELS> d_histogram,
      ::cuda::std::array<int, NUM_ACTIVE_CHANNELS> num_levels,
      ::cuda::std::array<LevelT, NUM_ACTIVE_CHANNELS> lower_level,
      ::cuda::std::array<LevelT, NUM_ACTIVE_CHANNELS> upper_level,
      OffsetT num_row_pixels, OffsetT num_rows, size_t row_stride_bytes,
      cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT,
            typename CounterT, typename LevelT, typename OffsetT>
  static cudaError_t MultiHistogramEven(
      void *d_temp_storage, size_t &temp_storage_bytes,
      SampleIteratorT d_samples, CounterT *d_histogram[NUM_ACTIVE_CHANNELS],
      const int num_levels[NUM_ACTIVE_CHANNELS],
      const LevelT lower_level[NUM_ACTIVE_CHANNELS],
      const LevelT upper_level[NUM_ACTIVE_CHANNELS], OffsetT num_row_pixels,
      OffsetT num_rows, size_t row_stride_bytes, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename SampleIteratorT, typename CounterT, typename LevelT,
            typename OffsetT>
  static cudaError_t
  HistogramRange(void *d_temp_storage, size_t &temp_storage_bytes,
                 SampleIteratorT d_samples, CounterT *d_histogram,
                 int num_levels, const LevelT *d_levels, OffsetT num_samples,
                 cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <typename SampleIteratorT, typename CounterT, typename LevelT,
            typename OffsetT>
  static cudaError_t
  HistogramRange(void *d_temp_storage, size_t &temp_storage_bytes,
                 SampleIteratorT d_samples, CounterT *d_histogram,
                 int num_levels, const LevelT *d_levels,
                 OffsetT num_row_samples, OffsetT num_rows,
                 size_t row_stride_bytes, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT,
            typename CounterT, typename LevelT, typename OffsetT>
  static cudaError_t MultiHistogramRange(
      void *d_temp_storage, size_t &temp_storage_bytes,
      SampleIteratorT d_samples,
      ::cuda::std::array<CounterT *, NUM_ACTIVE_CHANNELS> d_histogram,
      ::cuda::std::array<int, NUM_ACTIVE_CHANNELS> num_levels,
      ::cuda::std::array<const LevelT *, NUM_ACTIVE_CHANNELS> d_levels,
      OffsetT num_pixels, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT,
            typename CounterT, typename LevelT, typename OffsetT>
  static cudaError_t
  MultiHistogramRange(void *d_temp_storage, size_t &temp_storage_bytes,
                      SampleIteratorT d_samples,
                      CounterT *d_histogram[NUM_ACTIVE_CHANNELS],
                      const int num_levels[NUM_ACTIVE_CHANNELS],
                      const LevelT *const d_levels[NUM_ACTIVE_CHANNELS],
                      OffsetT num_pixels, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT,
            typename CounterT, typename LevelT, typename OffsetT>
  static cudaError_t MultiHistogramRange(
      void *d_temp_storage, size_t &temp_storage_bytes,
      SampleIteratorT d_samples,
      ::cuda::std::array<CounterT *, NUM_ACTIVE_CHANNELS> d_histogram,
      ::cuda::std::array<int, NUM_ACTIVE_CHANNELS> num_levels,
      ::cuda::std::array<const LevelT *, NUM_ACTIVE_CHANNELS> d_levels,
      OffsetT num_row_pixels, OffsetT num_rows, size_t row_stride_bytes,
      cudaStream_t stream = 0) {
    return cudaSuccess;
  }
  template <int NUM_CHANNELS, int NUM_ACTIVE_CHANNELS, typename SampleIteratorT,
            typename CounterT, typename LevelT, typename OffsetT>
  static cudaError_t MultiHistogramRange(
      void *d_temp_storage, size_t &temp_storage_bytes,
      SampleIteratorT d_samples, CounterT *d_histogram[NUM_ACTIVE_CHANNELS],
      const int num_levels[NUM_ACTIVE_CHANNELS],
      const LevelT *const d_levels[NUM_ACTIVE_CHANNELS], OffsetT num_row_pixels,
      OffsetT num_rows, size_t row_stride_bytes, cudaStream_t stream = 0) {
    return cudaSuccess;
  }
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_DEVICE_DEVICE_HISTOGRAM_CUH
