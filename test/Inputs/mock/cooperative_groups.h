//===- cooperative_groups.h - Groups of threads --------------- -*- C++ -*-===//
//
// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDAGRAPH_MOCK_COOPERATIVE_GROUPS_H
#define CUDAGRAPH_MOCK_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#ifdef __CUDACC__
namespace cooperative_groups {

struct thread_group {
  __device__ void sync() const;
  __device__ unsigned long long size() const;
  __device__ unsigned long long num_threads() const;
  __device__ unsigned long long thread_rank() const;
  __device__ bool is_valid() const;
};

template <unsigned MaxBlockSize = 1024> struct block_tile_memory {
  char memory[MaxBlockSize];
};

struct thread_block : thread_group {
  struct arrival_token {};
  static __device__ void sync();
  static __device__ unsigned size();
  static __device__ unsigned num_threads();
  static __device__ unsigned thread_rank();
  static __device__ dim3 group_index();
  static __device__ dim3 thread_index();
  static __device__ dim3 group_dim();
  static __device__ dim3 dim_threads();
  __device__ arrival_token barrier_arrive() const;
  __device__ void barrier_wait(arrival_token &&token) const;
};

struct grid_group : thread_group {
  struct arrival_token {};
  __device__ void sync() const;
  static __device__ dim3 group_dim();
  static __device__ dim3 dim_blocks();
  static __device__ dim3 block_index();
  static __device__ dim3 dim_clusters();
  static __device__ dim3 cluster_index();
  static __device__ unsigned long long num_blocks();
  static __device__ unsigned long long block_rank();
  static __device__ unsigned long long cluster_rank();
  __device__ arrival_token barrier_arrive() const;
  __device__ void barrier_wait(arrival_token &&token) const;
};

struct cluster_group : thread_group {
  struct arrival_token {};
  static __device__ void sync();
  static __device__ unsigned size();
  static __device__ unsigned num_threads();
  static __device__ unsigned num_blocks();
  static __device__ unsigned thread_rank();
  static __device__ unsigned block_rank();
  static __device__ dim3 block_index();
  static __device__ dim3 thread_index();
  static __device__ dim3 dim_blocks();
  static __device__ dim3 dim_threads();
  static __device__ unsigned query_shared_rank(const void *addr);
  template <class T> static __device__ T *map_shared_rank(T *addr, int rank);
  static __device__ arrival_token barrier_arrive();
  static __device__ void barrier_wait();
  static __device__ void barrier_wait(arrival_token &&token);
};

// The common part of groups of threads in a warp.
struct warp_group : thread_group {
  __device__ unsigned meta_group_rank() const;
  __device__ unsigned meta_group_size() const;
  template <class T> __device__ T shfl(T var, unsigned src_rank) const;
  template <class T> __device__ T shfl_up(T var, unsigned delta) const;
  template <class T> __device__ T shfl_down(T var, unsigned delta) const;
  template <class T> __device__ T shfl_xor(T var, unsigned mask) const;
  __device__ int any(int predicate) const;
  __device__ int all(int predicate) const;
  __device__ unsigned ballot(int predicate) const;
  template <class T> __device__ unsigned match_any(T val) const;
  template <class T> __device__ unsigned match_all(T val, int &pred) const;
};

struct coalesced_group : warp_group {
  __device__ unsigned size() const;
  __device__ unsigned num_threads() const;
  __device__ unsigned thread_rank() const;
};

template <unsigned Size, class ParentT = void>
struct thread_block_tile : warp_group {
  template <unsigned OtherSize, class OtherParentT>
  __device__
  thread_block_tile(const thread_block_tile<OtherSize, OtherParentT> &g);
  __device__ operator thread_block_tile<Size, void>() const;
  static __device__ constexpr unsigned size() { return Size; }
  static __device__ constexpr unsigned num_threads() { return Size; }
  __device__ unsigned thread_rank() const;
};

__device__ thread_block this_thread_block();
template <unsigned MaxBlockSize>
__device__ thread_block
this_thread_block(block_tile_memory<MaxBlockSize> &scratch);
__device__ grid_group this_grid();
__device__ cluster_group this_cluster();
__device__ coalesced_group coalesced_threads();
__device__ thread_block_tile<1, void> this_thread();

__device__ thread_group tiled_partition(const thread_group &parent,
                                        unsigned tilesz);
__device__ coalesced_group tiled_partition(const coalesced_group &parent,
                                           unsigned tilesz);
template <unsigned Size, class ParentT>
__device__ thread_block_tile<Size, ParentT> tiled_partition(const ParentT &g);
template <class ParentT>
__device__ coalesced_group binary_partition(const ParentT &g, bool pred);
template <class ParentT, class T>
__device__ coalesced_group labeled_partition(const ParentT &g, T label);

template <class GroupT> __device__ void sync(const GroupT &g);
template <class GroupT>
__device__ unsigned long long thread_rank(const GroupT &g);
template <class GroupT>
__device__ unsigned long long group_size(const GroupT &g);
enum class thread_scope { system, device, block, cluster, grid };

// The contents of the other headers of cooperative_groups/. Functions that take
// lambdas have bodies, because the types of lambdas have no linkage.

template <class T> struct plus {
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
  __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct greater {
  __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
  __device__ T operator()(T a, T b) const { return a & b; }
};
template <class T> struct bit_or {
  __device__ T operator()(T a, T b) const { return a | b; }
};
template <class T> struct bit_xor {
  __device__ T operator()(T a, T b) const { return a ^ b; }
};

template <class GroupT, class T, class Op>
__device__ T reduce(const GroupT &g, T val, Op &&op) {
  return op(val, val);
}
template <class GroupT, class T, class Op>
__device__ void reduce_update_async(const GroupT &g, T &target, T val,
                                    Op &&op) {}
template <class GroupT, class T, class Op>
__device__ void reduce_store_async(const GroupT &g, T *target, T val, Op &&op) {
}
template <class GroupT, class T>
__device__ T inclusive_scan(const GroupT &g, T val);
template <class GroupT, class T, class Op>
__device__ T inclusive_scan(const GroupT &g, T val, Op &&op) {
  return op(val, val);
}
template <class GroupT, class T>
__device__ T exclusive_scan(const GroupT &g, T val);
template <class GroupT, class T, class Op>
__device__ T exclusive_scan(const GroupT &g, T val, Op &&op) {
  return op(val, val);
}

template <class GroupT, class T, class Layout>
__device__ void memcpy_async(const GroupT &g, T *dst, const T *src,
                             const Layout &layout);
template <class GroupT, class T, class U>
__device__ void memcpy_async(const GroupT &g, T *dst, size_t dstCount,
                             const U *src, size_t srcCount);
template <class GroupT> __device__ void wait(const GroupT &g);
template <unsigned Stages, class GroupT>
__device__ void wait_prior(const GroupT &g);
template <class GroupT, class F>
__device__ void invoke_one(const GroupT &g, F &&f) {}

} // namespace cooperative_groups
#endif

#endif // CUDAGRAPH_MOCK_COOPERATIVE_GROUPS_H
