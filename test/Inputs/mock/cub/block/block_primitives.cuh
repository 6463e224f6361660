//===- block_primitives.cuh - Primitives of blocks and warps -- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The primitives that kernels call. Each header of block/ and warp/ declares
// one of them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_CUB_BLOCK_BLOCK_PRIMITIVES_CUH
#define CUDAGRAPH_MOCK_CUB_BLOCK_BLOCK_PRIMITIVES_CUH

#include "../util_type.cuh"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm {
  BLOCK_SCAN_RAKING,
  BLOCK_SCAN_RAKING_MEMOIZE,
  BLOCK_SCAN_WARP_SCANS
};
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

namespace detail {

// The common part of reductions and scans. It has bodies, because lambdas have
// no linkage.
template <class T> struct collective {
  struct TempStorage {
    T storage;
  };
  __device__ collective();
  __device__ collective(TempStorage &temp_storage);
  template <class U> __device__ T Sum(const U &input) { return T(); }
  template <class U> __device__ T Sum(const U &input, int num_valid) {
    return T();
  }
  template <class U, class Op> __device__ T Reduce(const U &input, Op op) {
    return T();
  }
  template <class U, class Op>
  __device__ T Reduce(const U &input, Op op, int num_valid) {
    return T();
  }
  template <class... Args> __device__ void InclusiveSum(Args &&...args) {}
  template <class... Args> __device__ void ExclusiveSum(Args &&...args) {}
  template <class... Args> __device__ void InclusiveScan(Args &&...args) {}
  template <class... Args> __device__ void ExclusiveScan(Args &&...args) {}
  template <class... Args> __device__ void Sort(Args &&...args) {}
  template <class... Args> __device__ void SortDescending(Args &&...args) {}
  template <class... Args>
  __device__ void SortBlockedToStriped(Args &&...args) {}
  template <class... Args>
  __device__ void SortDescendingBlockedToStriped(Args &&...args) {}
  template <class... Args> __device__ void StableSort(Args &&...args) {}
  template <class... Args> __device__ void Load(Args &&...args) {}
  template <class... Args> __device__ void Store(Args &&...args) {}
  template <class... Args> __device__ void Histogram(Args &&...args) {}
  template <class... Args> __device__ void StripedToBlocked(Args &&...args) {}
  template <class... Args> __device__ void BlockedToStriped(Args &&...args) {}
};

} // namespace detail

template <class T, int X, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS,
          int Y = 1, int Z = 1>
struct BlockReduce : detail::collective<T> {
  using detail::collective<T>::collective;
};
template <class T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1,
          int Z = 1>
struct BlockScan : detail::collective<T> {
  using detail::collective<T>::collective;
};
template <class T, int X, int Items, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT,
          int Y = 1, int Z = 1>
struct BlockLoad : detail::collective<T> {
  using detail::collective<T>::collective;
};
template <class T, int X, int Items, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT,
          int Y = 1, int Z = 1>
struct BlockStore : detail::collective<T> {
  using detail::collective<T>::collective;
};
template <class K, int X, int Items, class V = NullType, int Radix = 4>
struct BlockRadixSort : detail::collective<K> {
  using detail::collective<K>::collective;
};
template <class K, int X, int Items, class V = NullType>
struct BlockMergeSort : detail::collective<K> {
  using detail::collective<K>::collective;
};
template <class T, int X, int Items>
struct BlockExchange : detail::collective<T> {
  using detail::collective<T>::collective;
};
template <class T, int X, int Items, int Bins>
struct BlockHistogram : detail::collective<T> {
  using detail::collective<T>::collective;
};
template <class T, int Threads = 32> struct WarpReduce : detail::collective<T> {
  using detail::collective<T>::collective;
};
template <class T, int Threads = 32> struct WarpScan : detail::collective<T> {
  using detail::collective<T>::collective;
};
template <class K, int Items, int Threads = 32, class V = NullType>
struct WarpMergeSort : detail::collective<K> {
  using detail::collective<K>::collective;
};

} // namespace cub

#endif // CUDAGRAPH_MOCK_CUB_BLOCK_BLOCK_PRIMITIVES_CUH
