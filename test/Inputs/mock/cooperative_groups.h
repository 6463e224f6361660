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
struct thread_block {
  __device__ void sync() const;
  __device__ unsigned thread_rank() const;
  __device__ unsigned size() const;
};
struct grid_group {
  __device__ void sync() const;
  __device__ unsigned long long thread_rank() const;
  __device__ unsigned long long size() const;
  __device__ bool is_valid() const;
};
__device__ thread_block this_thread_block();
__device__ grid_group this_grid();
} // namespace cooperative_groups
#endif

#endif // CUDAGRAPH_MOCK_COOPERATIVE_GROUPS_H
